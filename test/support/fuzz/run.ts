import * as fc from 'fast-check';
import type { Noted } from './black-box.ts';
import { HarmWatch } from './harm.ts';
import { HUGE_JSON } from './inputs/huge.ts';
import { keptOf } from './inputs/kept.ts';
import type { Target } from './target.ts';
import { brokenTexts } from './inputs/texts.ts';
import { anyTrees, brokenTrees } from './inputs/trees.ts';

/** The result of a run. */
export interface Outcome {
  /** The number of inputs that were read. */
  readonly cases: number;
  readonly failure?: Failure;
}

/** An input that did harm. */
export interface Failure {
  /** Describes the input for people. */
  readonly from: string;
  /** The random input, as small as possible; absent for other inputs. */
  readonly input?: Uint8Array;
  /** The error, with its place in the code. */
  readonly error: string;
}

/** The length of a run, and its first seed. */
export interface Length {
  readonly cases: number;
  readonly seed: number;
  /** Omits inputs that are the same in every run. */
  readonly onlyChance?: boolean;
}

/**
 * Makes a target read the inputs that once did harm, huge inputs, and then this number of random ones. Calls `note`
 * before each input.
 */
export async function fuzz(
  name: string,
  target: Target,
  length: Length,
  note: (next: Noted) => void,
): Promise<Outcome> {
  const watch = new HarmWatch();
  let count = 0;
  const play: Play = async (from, input) => {
    note({ from, input });
    watch.afterOne(await target.read(input));
    count += 1;
  };
  try {
    const failure =
      (length.onlyChance === true ? undefined : await playFixed(name, target, play)) ??
      (await playByChance(target, length, play));
    if (failure === undefined) watch.afterAll();
    return { cases: count, ...(failure === undefined ? {} : { failure }) };
  } catch (error) {
    return { cases: count, failure: { from: 'all inputs together', error: textOf(error) } };
  }
}

type Play = (from: string, input: Buffer) => Promise<void>;

async function playFixed(name: string, target: Target, play: Play): Promise<Failure | undefined> {
  for (const { from, input } of fixed(name, target)) {
    try {
      await play(from, input());
    } catch (error) {
      return { from, error: textOf(error) };
    }
  }
  return undefined;
}

async function playByChance(
  target: Target,
  { cases, seed }: Length,
  play: Play,
): Promise<Failure | undefined> {
  const property = fc.asyncProperty(inputs(target), (input) => play('', input));
  const run = await fc.check(property, { seed, numRuns: cases });
  if (!run.failed) return undefined;
  const input = run.counterexample?.[0] ?? Buffer.of();
  return { input, from: `seed ${seed}`, error: textOf(run.errorInstance) };
}

/** Yields all inputs that are not random. */
function* fixed(
  name: string,
  { frames, huge = [], share = 1, whole }: Target,
): Generator<{ readonly from: string; readonly input: () => Buffer }> {
  for (const [at, input] of whole.entries()) yield { from: `whole ${at}`, input: () => input };
  for (const { file, input } of keptOf(name)) yield { from: file, input: () => input };
  for (const one of [...HUGE_JSON, ...huge]) {
    for (const [at, frame] of frames.entries()) {
      yield { from: `${one.name}, in frame ${at}`, input: () => Buffer.from(frame(one.text(share))) };
    }
  }
}

function inputs({ frames, isJSON, more, whole }: Target): fc.Arbitrary<Buffer> {
  return fc.oneof(
    { weight: 4, arbitrary: brokenTexts(whole) },
    ...(isJSON ? [{ weight: 5, arbitrary: brokenTrees(whole) }] : []),
    ...(frames.length === 0 ? [] : [{ weight: 2, arbitrary: framed(frames) }]),
    ...(more === undefined ? [] : [{ weight: 4, arbitrary: more }]),
  );
}

function framed(frames: Target['frames']): fc.Arbitrary<Buffer> {
  return fc.tuple(fc.constantFrom(...frames), anyTrees).map(([frame, tree]) => Buffer.from(frame(tree)));
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
