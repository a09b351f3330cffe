/**
 * `node scripts/krew-manifest.ts ARCHIVE URL`: prints the manifest of the krew plug-in for a release, which is the archive
 * that will be at that address.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import packageFile from '../package.json' with { type: 'json' };

const [archive, uri] = process.argv.slice(2);
if (archive === undefined || uri === undefined) throw new Error('say which archive, and where it will be');
const manifest = parseDocument(
  await readFile(new URL('../manifests/krew/dms.yaml', import.meta.url), 'utf8'),
);
manifest.commentBefore = null;
manifest.setIn(['spec', 'version'], `v${packageFile.version}`);
manifest.setIn(['spec', 'platforms', 0, 'uri'], uri);
const sha256 = createHash('sha256')
  .update(await readFile(archive))
  .digest('hex');
manifest.setIn(['spec', 'platforms', 0, 'sha256'], sha256);
console.log(manifest.toString({ lineWidth: 0 }).trimEnd());
