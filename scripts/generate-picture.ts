/**
 * Writes docs/images/demo.svg from docs/images/demo.txt, which is what the demo printed when it was recorded:
 * `npm start --silent -- demo > docs/images/demo.txt`. A test tells when that is due.
 * With --check nothing is written; the exit code is 1 when the picture is not what it would be.
 */
import { demoPicture } from './demo-picture.ts';
import { settleFiles, textOf } from './generated-files.ts';

await settleFiles([['docs/images/demo.svg', demoPicture(await textOf('docs/images/demo.txt'))]]);
