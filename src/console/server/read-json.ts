import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { Refusal } from './refusal.ts';

/** Ten times what the longest of our requests takes. */
const MOST_BYTES = 16_384;

/** The body of a request as an object of JSON. Throws a Refusal for everything else. */
export async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const type = request.headers['content-type']?.split(';')[0]?.trim();
  if (type !== 'application/json') throw new Refusal(415, 'only application/json is understood here');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Refusal(413, `a request has at most ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  const value = parsed(Buffer.concat(parts).toString('utf8'));
  if (isJsonObject(value)) return value;
  throw new Refusal(400, 'the request is no object of JSON');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A member that must be a text of at most so many characters. Throws a Refusal. */
export function textIn(body: JsonObject, name: string, most = 512): string {
  const value = body[name];
  if (typeof value === 'string' && value.length <= most) return value;
  throw new Refusal(400, `${name} must be a text of at most ${most} characters`);
}
