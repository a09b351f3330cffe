import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** The headers of a gzip body. */
export const GZIP = { 'content-type': 'application/json', 'content-encoding': 'gzip' } as const;

/**
 * Returns a gzip list of one deployment with this many labels: a few bytes per label on the wire, a hundred in memory.
 */
export function manyLabels(count: number): Buffer {
  const labels = Array.from({ length: count }, (_, n) => `"k${n}":""`).join(',');
  const spec = `{"labels":{${labels}}}`;
  return gzipSync(
    `{"resources":[{"id":"${randomUUID()}","name":"labelled","source_config":{"resource_spec":${spec}}}]}`,
  );
}

/** Returns an uncompressed list of one deployment with a text of this many bytes. */
export function longText(bytes: number): Buffer {
  const [head, tail] = [`{"resources":[{"id":"${randomUUID()}","name":"long","source_config":{"`, '"}}]}'];
  return Buffer.concat([
    Buffer.from(`${head}install_command":"`),
    Buffer.alloc(bytes, 'x'),
    Buffer.from(tail),
  ]);
}

/**
 * Returns a gzip page of deployments with new ids, each with 100 KB of text. Their common text is compressed once,
 * since a sequence of gzip members is valid gzip.
 */
export function freshPage(count: number): Buffer {
  const items = Array.from({ length: count }, (_, n) => {
    const head = `${n === 0 ? '{"resources":[' : ','}{"id":"${randomUUID()}","name":"new-${n}","source_config":`;
    return [gzipSync(`${head}{"install_command":"`), FILLER];
  });
  return Buffer.concat([...items.flat(), gzipSync(']}')]);
}

const FILLER = gzipSync(`${'x'.repeat(100_000)}"}}`);
