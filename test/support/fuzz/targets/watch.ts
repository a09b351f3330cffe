import { isDeepStrictEqual } from 'node:util';
import {
  CorruptLineError,
  jsonLines,
  TruncatedStreamError,
} from '../../../../src/kubernetes/objects/json-lines.ts';
import { parseWatchEvent } from '../../../../src/kubernetes/watch/list-watch.ts';
import { DEPLOYMENT, METADATA } from '../inputs/api-objects.ts';
import { must, type Target, type Targets, texts, told } from '../target.ts';

/** Small, since the size of a line makes no difference to the reading of streams. */
const objectAt = (resourceVersion: string) => ({
  apiVersion: DEPLOYMENT.apiVersion,
  kind: DEPLOYMENT.kind,
  metadata: { ...METADATA, resourceVersion },
  spec: DEPLOYMENT.spec,
});

const LINES = [
  { type: 'ADDED', object: DEPLOYMENT },
  { type: 'MODIFIED', object: objectAt('1235') },
  {
    type: 'BOOKMARK',
    object: { metadata: { resourceVersion: '1240', annotations: { 'k8s.io/initial-events-end': 'true' } } },
  },
  { type: 'DELETED', object: objectAt('1241') },
  {
    type: 'ERROR',
    object: {
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: 'too old',
      details: { retryAfterSeconds: 3 },
    },
  },
].map((line) => `${JSON.stringify(line)}\n`);

async function* inChunks(input: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < input.length; at += length) yield input.subarray(at, at + length);
}

/** Returns the lines of a stream and its end. */
async function said(input: Buffer, length: number): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    for await (const line of jsonLines(inChunks(input, length))) {
      const event = parseWatchEvent(line);
      lines.push(
        event.kind === 'error' ? event.error.message : `${event.kind} ${event.version.slice(0, 100)}`,
      );
    }
  } catch (error) {
    lines.push(...told(error, CorruptLineError, TruncatedStreamError));
  }
  return lines;
}

/** The number of pieces, large enough to end within a line, a text and a character of several bytes. */
const PIECES = 64;

const watch: Target = {
  whole: texts(LINES.slice(1).join(''), ...LINES),
  isJSON: false,
  frames: [
    (huge) => `${huge}\n${LINES[0]}`,
    (huge) =>
      `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"spec":${huge}}}\n${LINES[1]}`,
    (huge) => `{"type":"ERROR","object":{"code":${huge},"reason":${huge},"message":${huge}}}\n`,
  ],
  read: async (input) => {
    const whole = await said(input, Math.max(1, input.length));
    const pieces = await said(input, Math.max(1 + (input.length % 7), Math.ceil(input.length / PIECES)));
    must(isDeepStrictEqual(whole, pieces), 'a stream says something else where it comes in pieces');
    return whole.slice(0, 100);
  },
};

/** Readers of the lines of a watch. */
export const TARGETS: Targets<'watch'> = { 'watch-lines': watch };
