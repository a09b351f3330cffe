import type { World } from './world.ts';

/** Points of one write at which a process can die, in their order. */
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

/** Kills the process when it comes to a point; once. The returned function says whether it has happened. */
export function killAt(world: World, point: CrashPoint): () => boolean {
  let killed = false;
  const kill = (): void => {
    killed = true;
    world.disarm();
    world.kill();
  };
  /** What was about to happen never does. */
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
