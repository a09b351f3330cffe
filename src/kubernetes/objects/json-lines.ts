import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { eventFrom } from './object-text.ts';

/**
 * Reports a line of a stream that is not a JSON object in UTF-8. Does not repeat the line, which may contain a Secret.
 */
export class CorruptLineError extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`the stream holds a line that ${why}`, options);
    this.name = 'CorruptLineError';
  }
}

/** Reports a stream that ended in the middle of a line. */
export class TruncatedStreamError extends Error {
  constructor() {
    super('the stream ended in the middle of a line');
    this.name = 'TruncatedStreamError';
  }
}

const NEWLINE = 0x0a;
/** The longest event that Kubernetes clients accept; an API server stores objects of at most a tenth of this size. */
const LONGEST_LINE = 16 * 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Yields the JSON objects of a stream with one object per line; `objectFrom` reads the member `object`. Lines end at
 * byte 0x0A and nowhere else: line readers that also split at U+2028 lose events.
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject> {
  let rest: Uint8Array[] = [];
  let restLength = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const object = parseLine([...rest, chunk.subarray(start, end)]);
      rest = [];
      restLength = 0;
      start = end + 1;
      if (object !== undefined) yield object;
    }
    if (start === chunk.length) continue;
    rest.push(chunk.subarray(start));
    restLength += chunk.length - start;
    if (restLength > LONGEST_LINE) throw new CorruptLineError('is too long');
  }
  if (rest.length > 0) yield* lastLine(rest);
}

function* lastLine(parts: readonly Uint8Array[]): Generator<JsonObject> {
  try {
    const object = parseLine(parts);
    if (object !== undefined) yield object;
  } catch {
    throw new TruncatedStreamError();
  }
}

function parseLine(parts: readonly Uint8Array[]): JsonObject | undefined {
  const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
  let value: unknown;
  try {
    const text = UTF8.decode(bytes);
    if (text.trim() === '') return undefined;
    value = eventFrom(text);
  } catch {
    throw new CorruptLineError('is not JSON');
  }
  if (!isJsonObject(value)) throw new CorruptLineError('is not a JSON object');
  return value;
}
