import { MANAGED, type ManagedName } from './declared.ts';
import { isRefused, type Play } from './play.ts';
import { THEIRS, type TheirName } from './theirs.ts';

/** A field, the label beside ours, or the secret that somebody set by hand. */
type About = TheirName | ManagedName | 'label' | 'secret';

/** Something that cannot be made right, so that a run may end with a value of others changed and nothing said. */
interface Excuse {
  readonly name: string;
  readonly reason: string;
  readonly applies: (play: Play, about: About) => boolean;
}

/** Request timeout and consistency window, and the time that an exchange takes. */
const WINDOW_MS = 61_000;

/** The window, and one and a half intervals of polling. */
const SETTLING_MS = 155_000;

/** The age of a read that a body with values of others may be made from, and the time that an exchange takes. */
const READ_MS = 6_000;

/** Everything that the matrix lets pass. Most bend I4, the last one InSync. */
const EXCUSES: readonly Excuse[] = [
  {
    name: 'secrets that no list shows',
    reason: 'what was never seen cannot be missed',
    applies: ({ switches }, about) =>
      about === 'secret' && (switches.listShape === 'no-secrets' || switches.secretsEcho === 'omitted'),
  },
  {
    name: 'a death between a write that empties and its repair',
    reason: 'values of others are remembered in memory alone, since a status must not hold them',
    applies: (play) =>
      isLossy(play) &&
      play.world.deathsMs.some((death) =>
        play.world.patches().some(({ beganMs }) => within(beganMs, death, 3 * WINDOW_MS)),
      ),
  },
  {
    name: 'answers that show the state before, from a service that empties',
    reason:
      'such an answer cannot be told from one to a request that changed nothing, and a repair may be made from it',
    applies: (play) => isLossy(play) && play.switches.patchEcho === 'pre',
  },
  {
    name: 'a repair that is answered with a page instead of a deployment',
    reason:
      'a 2xx counts as arrived: to repeat a repair until an answer shows it would be a loop where none ever does',
    applies: (play) =>
      isLossy(play) && play.world.patches().some(({ faults }) => faults.includes('wrong-type')),
  },
  {
    name: 'a repair that is refused',
    reason:
      'what was lost goes back with the next request, and a spec that the service refuses goes with it; the message says so',
    applies: (play) => isLossy(play) && isRefused(play),
  },
  {
    name: 'an edit of others in the moment of our own write',
    reason:
      'the service offers no concurrency control (N16); within the window the answer to our last write outranks what the list shows (N30); and what the first write to a service that empties is repaired from may be as old as the sweeps',
    applies: (play, about) => {
      const editMs = isField(about) ? play.editedMs.get(about) : undefined;
      if (editMs === undefined) return false;
      const sentMs = play.world.patches().map(({ beganMs }) => beganMs);
      const answerRules = sentMs.some((ms) => within(ms, editMs, WINDOW_MS));
      const old = answerRules || isLossy(play);
      return sentMs.some((ms) => within(editMs, ms, old ? 2 * WINDOW_MS : READ_MS));
    },
  },
  {
    name: 'an edit of others while our own write of the field takes shape',
    reason:
      'until a steady read after the window the service may still round, fill in and resolve what we sent',
    applies: ({ world, editedMs }, about) => {
      const editMs = isField(about) ? editedMs.get(about) : undefined;
      return (
        editMs !== undefined && world.patches().some(({ beganMs }) => within(beganMs, editMs, SETTLING_MS))
      );
    },
  },
];

/** True where a value of others may have changed without a word. */
export function isExcused(play: Play, about: About): boolean {
  return EXCUSES.some(({ applies }) => applies(play, about));
}

/** The excuses in words, for whoever reads the result of a long run. */
export function excuses(): readonly string[] {
  return EXCUSES.map(({ name, reason }) => `${name}: ${reason}`);
}

function isField(about: About): about is TheirName | ManagedName {
  return about in MANAGED || about in THEIRS;
}

function isLossy({ switches: { topLevelOmit, sourceConfig, revisionConfig, resourceSpec } }: Play): boolean {
  return topLevelOmit === 'cleared' || [sourceConfig, revisionConfig, resourceSpec].includes('replace');
}

/** True where the second moment follows the first within so many milliseconds. */
function within(firstMs: number, secondMs: number, spanMs: number): boolean {
  return secondMs >= firstMs && secondMs - firstMs <= spanMs;
}
