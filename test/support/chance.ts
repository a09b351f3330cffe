import { VirtualClock } from './doubles/virtual-clock.ts';

/** Numbers from 0 to below 1, the same in each run with the same seed. */
export type Random = () => number;

/** Chance from a seed. */
export function seededRandom(seed: number): Random {
  const clock = new VirtualClock({ seed });
  return () => clock.random();
}

/** One of several, by chance. */
export function oneOf<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}
