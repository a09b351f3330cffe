import type { World } from './world.ts';

/** The points of one write at which a process can die, in order. */
export const CRASH_POINTS = [
  'before the announcement',
  'after the announcement',
  'before the request leaves',
  'before the answer arrives',
  'before the record',
  'after the record',
] as const;

/** One of CRASH_POINTS. */
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Kills the process at a point, once. The returned function tells whether that has happened. */
export function killAt(world: World, point: CrashPoint): () => boolean {
  let killed = false;
  const kill = (): void => {
    killed = true;
    world.disarm();
    world.kill();
  };
  /** The pending effect never happens. */
  const killInstead = (): Promise<never> => {
    kill();
    return new Promise(() => undefined);
  };
  const armed: Record<CrashPoint, () => void> = {
    'before the announcement': () => {
      world.hooks.before = ({ operation }) => (operation === 'announce' ? killInstead() : undefined);
    },
    'after the announcement': () => {
      world.hooks.after = ({ operation }) => (operation === 'announce' ? kill() : undefined);
    },
    'before the request leaves': () => {
      world.moments.leaving = ({ method }) => (method === 'GET' ? undefined : kill());
    },
    'before the answer arrives': () => {
      world.moments.arriving = ({ method }) => (method === 'GET' ? undefined : kill());
    },
    'before the record': () => {
      world.hooks.before = ({ operation, key }) => {
        if (operation !== 'saveStatus' || world.status(key.name).pendingWrite === undefined) return undefined;
        return killInstead();
      };
    },
    'after the record': () => {
      world.hooks.after = ({ operation }) => (operation === 'saveStatus' ? kill() : undefined);
    },
  };
  armed[point]();
  return () => killed;
}

/** The last effect of a process, and whether it still takes place. A number beyond the last effect kills no process. */
export interface Death {
  /** Counts from 1: writes to the store and mutating requests to the service, in order. */
  readonly effect: number;
  readonly when: 'before' | 'after';
}

/** Counts the effects of the process from now on, and kills it at the named one. */
export function dieAt(world: World, death?: Death): { readonly effects: number; readonly died: boolean } {
  const seen = { effects: 0, died: false };
  const die = (): void => {
    seen.died = true;
    world.disarm();
    world.kill();
  };
  const isDue = (when: Death['when']): boolean => death?.effect === seen.effects && death.when === when;
  const begin = (): boolean => {
    seen.effects += 1;
    return isDue('before');
  };
  world.hooks.before = () => {
    if (!begin()) return undefined;
    die();
    return new Promise(() => undefined);
  };
  world.hooks.after = () => {
    if (isDue('after')) die();
  };
  world.moments.leaving = ({ method }) => {
    if (method !== 'GET' && begin()) die();
  };
  world.moments.arriving = ({ method }) => {
    if (method !== 'GET' && isDue('after')) die();
  };
  return seen;
}
