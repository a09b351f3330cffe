/**
 * Loaded before the measured program, which runs unchanged. Reports at its end how many bytes it wrote to state files.
 */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

let bytes = 0;
const { open } = fs;
fs.open = async (path, ...how) => {
  const file = await open(path, ...how);
  if (/state\.json(?:\.new|\.journal)$/.test(String(path))) {
    const write = file.writeFile.bind(file);
    file.writeFile = async (content, ...options) => {
      bytes += Buffer.byteLength(content as string | Uint8Array);
      await write(content, ...options);
    };
  }
  return file;
};
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(`state bytes written: ${bytes}\n`));
