/**
 * Writes docs/images/demo.svg from docs/images/demo.txt, a recording of the demo: `npm start --silent -- demo >
 * docs/images/demo.txt`. A test fails when the recording is old. With --check it writes nothing, and the exit code is
 * 1 if the picture is not current.
 */
import { demoPicture } from './demo-picture.ts';
import { settleFiles, textOf } from './generated-files.ts';

await settleFiles([['docs/images/demo.svg', demoPicture(await textOf('docs/images/demo.txt'))]]);
