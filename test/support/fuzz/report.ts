import { keep } from './inputs/kept.ts';
import type { Failure } from './run.ts';

/** Describes the harm, the input, and how to reproduce it. Stores a random input in a file. */
export function harmText(target: string, seed: number, { error, from, input }: Failure): string {
  const where = input === undefined ? from : `${from}, kept in ${keep(target, input)}`;
  const again = `npm run fuzz -- --minutes 0 --target ${target} --seed ${seed}`;
  return `${target}: ${where}\nonce more: ${again}\n${error}`;
}
