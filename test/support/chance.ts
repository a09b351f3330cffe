import { VirtualClock } from './doubles/virtual-clock.ts';

/** Random numbers from 0 to below 1, the same in each run with the same seed. */
export type Random = () => number;

/** Returns random numbers from a seed. */
export function seededRandom(seed: number): Random {
  const clock = new VirtualClock({ seed });
  return () => clock.random();
}

/** Returns a random one of several choices. */
export function oneOf<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}
