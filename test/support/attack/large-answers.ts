import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** Headers of a body that is gzip. */
export const GZIP = { 'content-type': 'application/json', 'content-encoding': 'gzip' } as const;

/** One deployment with so many labels, as a list in gzip: a few bytes a label on the wire, a hundred in memory. */
export function manyLabels(count: number): Buffer {
  const labels = Array.from({ length: count }, (_, n) => `"k${n}":""`).join(',');
  const spec = `{"labels":{${labels}}}`;
  return gzipSync(
    `{"resources":[{"id":"${randomUUID()}","name":"labelled","source_config":{"resource_spec":${spec}}}]}`,
  );
}

/** One deployment with a text of so many bytes, as a list that is not compressed. */
export function longText(bytes: number): Buffer {
  const [head, tail] = [`{"resources":[{"id":"${randomUUID()}","name":"long","source_config":{"`, '"}}]}'];
  return Buffer.concat([
    Buffer.from(`${head}install_command":"`),
    Buffer.alloc(bytes, 'x'),
    Buffer.from(tail),
  ]);
}

/**
 * A page of deployments with new ids, each with 100 KB of text, in gzip. The text that they share is compressed once: a
 * sequence of gzip members is gzip as well.
 */
export function freshPage(count: number): Buffer {
  const items = Array.from({ length: count }, (_, n) => {
    const head = `${n === 0 ? '{"resources":[' : ','}{"id":"${randomUUID()}","name":"new-${n}","source_config":`;
    return [gzipSync(`${head}{"install_command":"`), FILLER];
  });
  return Buffer.concat([...items.flat(), gzipSync(']}')]);
}

const FILLER = gzipSync(`${'x'.repeat(100_000)}"}}`);
