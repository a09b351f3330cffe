import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Benchmark } from './support/benchmark.ts';
import { atMost } from './support/measurement.ts';

const FOLDER = join(import.meta.dirname, '..', 'crds');

/** All definitions as JSON, which is what an annotation or a release would hold; tests see to the descriptions. */
export const crdSize: Benchmark = {
  name: 'crd-size',
  about: 'bytes of all custom resource definitions together, with a description on every field',
  async run() {
    const texts = readdirSync(FOLDER)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => JSON.stringify(parse(readFileSync(join(FOLDER, file), 'utf8'))));
    const bytes = texts.reduce((total, text) => total + Buffer.byteLength(text), 0);
    return [
      { name: 'all CRDs together', unit: 'bytes', samples: [bytes], target: atMost(100_000), peer: '165 KB' },
    ];
  },
};
