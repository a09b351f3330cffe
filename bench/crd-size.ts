import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Benchmark } from './support/benchmark.ts';
import { atMost } from './support/measurement.ts';

const FOLDER = join(import.meta.dirname, '..', 'crds');

/** All definitions as YAML, as they are installed, and as JSON, which an annotation or a release would hold; tests see to the descriptions. */
export const crdSize: Benchmark = {
  name: 'crd-size',
  about: 'bytes of all custom resource definitions together, with a description on every field',
  async run() {
    const texts = readdirSync(FOLDER)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => readFileSync(join(FOLDER, file), 'utf8'));
    const json = texts.map((text) => JSON.stringify(parse(text)));
    return [
      {
        name: 'all CRDs together, YAML',
        unit: 'bytes',
        samples: [bytesOf(texts)],
        peer: '165,175 for ten CRDs',
      },
      {
        name: 'all CRDs together, JSON',
        unit: 'bytes',
        samples: [bytesOf(json)],
        target: atMost(100_000),
        peer: '103,881 for ten CRDs',
      },
    ];
  },
};

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + Buffer.byteLength(text), 0);
}
