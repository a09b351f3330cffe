import * as fc from 'fast-check';
import { HarmWatch } from './harm.ts';
import { HUGE_JSON } from './huge.ts';
import { keptOf } from './kept.ts';
import type { Target } from './target.ts';
import { brokenTexts } from './texts.ts';
import { anyTrees, brokenTrees } from './trees.ts';

/** What a run came to. */
export interface Outcome {
  /** Inputs that were read. */
  readonly cases: number;
  readonly failure?: Failure;
}

/** An input that did harm. */
export interface Failure {
  /** What was read, for people. */
  readonly from: string;
  /** Where it was made by chance: the input, as small as it goes. */
  readonly input?: Buffer;
  readonly error: unknown;
}

/** How long a run is, and where its chance begins. */
export interface Length {
  readonly cases: number;
  readonly seed: number;
  /** Without what is the same in every run. */
  readonly onlyChance?: boolean;
}

/** Has a target read the inputs that once did harm, what is huge, and then so many inputs by chance. */
export async function fuzz(target: Target, length: Length): Promise<Outcome> {
  const watch = new HarmWatch();
  let count = 0;
  const play = async (input: Buffer): Promise<void> => {
    watch.afterOne(await target.read(input));
    count += 1;
  };
  try {
    const failure =
      (length.onlyChance === true ? undefined : await playFixed(target, play)) ??
      (await playByChance(target, length, play));
    if (failure === undefined) watch.afterAll();
    return { cases: count, ...(failure === undefined ? {} : { failure }) };
  } catch (error) {
    return { cases: count, failure: { from: 'all inputs together', error } };
  } finally {
    target.scratch?.remove();
  }
}

type Play = (input: Buffer) => Promise<void>;

async function playFixed(target: Target, play: Play): Promise<Failure | undefined> {
  for (const { from, input } of fixed(target)) {
    try {
      await play(input());
    } catch (error) {
      return { from, error };
    }
  }
  return undefined;
}

async function playByChance(
  target: Target,
  { cases, seed }: Length,
  play: Play,
): Promise<Failure | undefined> {
  const run = await fc.check(fc.asyncProperty(inputs(target), play), { seed, numRuns: cases });
  if (!run.failed) return undefined;
  return { input: run.counterexample?.[0] ?? Buffer.of(), from: `seed ${seed}`, error: run.errorInstance };
}

/** Everything that is not left to chance. */
function* fixed(target: Target): Generator<{ readonly from: string; readonly input: () => Buffer }> {
  for (const [at, input] of target.whole.entries()) yield { from: `whole ${at}`, input: () => input };
  for (const { file, input } of keptOf(target.name)) yield { from: file, input: () => input };
  for (const huge of [...HUGE_JSON, ...(target.huge ?? [])]) {
    for (const [at, frame] of target.frames.entries()) {
      yield { from: `${huge.name}, in frame ${at}`, input: () => Buffer.from(frame(huge.text())) };
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
