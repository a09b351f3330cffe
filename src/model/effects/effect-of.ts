import { defined } from '../../base/defined.ts';
import { goneFromSpec, keysGoneFromSpec } from '../external/stays-beside.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { Level, PatchBody } from '../external/patch-body.ts';
import { madeRevision } from './made-revision.ts';
import { lacksNewKey, showsBefore } from './shows-before.ts';
import {
  droppedBy,
  hasNeighbour,
  leftOpenBy,
  leftOutBy,
  type Sent,
  type Untouched,
  untouchedBy,
  valuesOf,
} from './untouched.ts';
import { withoutFields } from './without-fields.ts';

/** A PATCH of ours that was answered or may have arrived: its request, and the deployment before it. */
export interface Written extends Sent {
  /** The deployment in the last list before the write. A list may never show some values that answers show (H35). */
  readonly listed?: ObservedDeployment | undefined;
  /** The answer to the write, if it shows some of it (N14). */
  readonly answer?: ObservedDeployment | undefined;
  /** The end of the write: earlier reads show nothing of it. */
  readonly endedMs: number;
  /**
   * The end of its window. A read that began before may still show the state before the write, since a list may lag
   * (N30).
   */
  readonly dueMs: number;
  /** False if no answer came. Then losses prove that the write arrived, but kept values prove nothing. */
  readonly answered?: boolean;
  /** True if a web page came in place of an answer: a login may have sent it, so kept values prove nothing either. */
  readonly pageCame?: boolean;
  /** True if a list that the answer outranks lacked a value. Then its later return proves nothing. */
  readonly lacked?: true;
  /** True if a list showed another client's revision before anything showed the write: no later revision proves it. */
  readonly followed?: true;
  /** The start of the first list that must show the write but shows neither the write nor a loss. */
  readonly unseenMs?: number;
  /** True if a list showed the write with all that it left out, unless lists show a field that this one lacked. */
  readonly seemedWhole?: true;
  /** The bodies of earlier answered writes that no list had shown, newest first. */
  readonly unshown?: readonly PatchBody[];
  /** The body of the write before, unless a list has shown that one. */
  readonly previous?: PatchBody | undefined;
  /** True if the write before may still make its revision: its window is open, and no look has shown a new one. */
  readonly followsUnrevised?: boolean;
  /** The part of its body that corrects drift. A list may show this part as it was before the drift. */
  readonly corrected?: PatchBody | undefined;
  /** Fields that an earlier write emptied, as the spec asks. A look that shows them may be older than that write. */
  readonly emptied?: readonly string[] | undefined;
  /** Fields that somebody else had changed before this write, as the policy only reports. */
  readonly reported?: readonly string[] | undefined;
  /** Values that the answer to the write before showed, that lists hide, and that the answer to this one lacks. */
  readonly goneInAnswer?: readonly string[];
  /** See `Situation`. */
  readonly listedPaths?: ReadonlySet<string> | undefined;
  /** True if the write is judged as if lists hid the fields that none has shown. */
  readonly asIfHidden?: true;
  /** The fate of the values that should have stayed, set when a list shows that something is gone. */
  readonly effect?: Pick<Effect, 'lost' | 'dropped'> & {
    /** The newest repair, if no answer proves it. Until a list must show it, it counts as done. */
    readonly repair?: Written;
  };
}

type Spec = NonNullable<ObservedDeployment['sourceConfig']>['resourceSpec'];

/** The evidence of a list about the values that should have stayed. */
export interface Effect extends Untouched {
  /** Values that are not restored: sent as shown and no longer shown, or gone without a sign of who removed them. */
  readonly dropped: readonly string[];
}

/**
 * Whether a list shows a write. `shown`: it shows the write. `due`: it must show the write, whatever it contains.
 * `open`: it may still show the state before the write.
 */
export type Arrival = 'shown' | 'due' | 'open';

/**
 * Judges by a list what happened to the fields that a write left out (N1, R12). A field is lost if lists showed it
 * before, the answer did not show it and this list lacks it. If the answer still showed it, somebody else removed it
 * later. If the answer showed nothing of the write, or nothing of a block, the first list that shows the effect
 * replaces the answer. If another field in the block stays, the operator reports the missing field and does not restore
 * it. If no list can show an effect, the write counts as the cause only if it left out several things at one level and
 * all of them are gone; otherwise they are reported and not restored. The same holds for secrets, which no write can
 * restore, if a new revision is the only sign of a write without an answer and the list shows the state before it. A field
 * that an earlier write emptied is no loss.
 */
export function effectOf(written: Written, list: ObservedDeployment, arrival: Arrival): Effect {
  const { listed, body, answer, emptied = [] } = written;
  const kept = arrival === 'open' ? [] : untouchedBy(written, list).kept;
  const told = answer !== undefined || arrival === 'shown' || madeRevision(written, list);
  if (listed === undefined || (!told && arrival === 'open')) return { lost: [], dropped: [], kept };
  const open = new Set(leftOpenBy(written, answer));
  const asListed = { before: listed, body };
  const filled = withoutFields(listed, emptied);
  const goneFrom = (before: ObservedDeployment): readonly string[] =>
    untouchedBy({ before, body }, list).lost.filter((path) => open.has(path));
  const all = goneFrom(filled);
  const parts = all.includes(WHOLE_SPEC) ? goneFromSpec(filled, list) : [];
  const isWhole = (path: string): boolean => parts.length === 0 || path !== WHOLE_SPEC;
  const gone = all.filter(isWhole);
  // A field that was emptied before tells as much as any other about a level of which nothing is left.
  const guess = (paths: readonly string[], keys: readonly string[]): ReturnType<typeof unseen> =>
    unseen(written, { gone: paths, parts: keys, all: goneFrom(listed).filter(isWhole) });
  const oneByOne = (paths: readonly string[]): readonly string[] =>
    paths.flatMap((path) => partsOf(path, filled, list));
  if (!told) {
    const { lost, dropped } = guess(gone, parts);
    return { lost, dropped: oneByOne(dropped), kept };
  }
  const isDoubted = (path: string): boolean => path === SECRETS_PATH && mayBeOfOthers(written, list, arrival);
  const doubted = gone.filter(isDoubted);
  const seen = gone.filter((path) => !isDoubted(path));
  const lost = seen.filter((path) => !hasNeighbour(path, asListed, list));
  const guessed = guess(doubted, []);
  return {
    lost: [...lost, ...guessed.lost],
    dropped: [
      ...goneBeside(written, asListed, list),
      ...oneByOne(seen.filter((path) => !lost.includes(path))),
      ...oneByOne(guessed.dropped),
      ...parts,
    ],
    kept,
  };
}

/**
 * Returns the keys of a resource spec that were sent as shown and that neither the answer nor the list shows, and the hidden
 * values that the answer lacks.
 */
function goneBeside(
  { answer, goneInAnswer = [] }: Written,
  asListed: Sent,
  list: ObservedDeployment,
): readonly string[] {
  const dropped = droppedBy(asListed, list).filter((path) => answer === undefined || !isShown(answer, path));
  return [...dropped, ...goneInAnswer.filter((path) => isShown(list, path) !== true)];
}

/**
 * True if a new revision is the only sign of a write without an answer, and the list shows the state before the write:
 * then the revision may be another client's.
 */
function mayBeOfOthers(written: Written, list: ObservedDeployment, arrival: Arrival): boolean {
  const isAnswered = written.answered !== false && written.pageCame !== true;
  if (isAnswered || arrival === 'shown') return false;
  return showsBefore(written, list) || lacksNewKey(written, list);
}

/** Returns a path, or the missing keys of a resource spec: a later write may carry other keys of it. */
export function partsOf(
  path: string,
  before: ObservedDeployment,
  list: ObservedDeployment,
): readonly string[] {
  return path === WHOLE_SPEC ? keysGoneFromSpec(before, list) : [path];
}

/**
 * Adds the fields that the previous write left out to a write, if no read has shown the effect of the previous one yet.
 * The new write then counts as leaving them out too, with the values from before the previous write. A value that a
 * list now lacks counts only if the previous write may be the cause, or if the list may be too old for the value.
 */
export function carriedOver<W extends Sent & Pick<Written, 'listed'>>(
  earlier: Written | undefined,
  next: W,
): W {
  if (earlier === undefined || earlier.effect !== undefined) return next;
  const left = new Set(leftOutBy({ before: earlier.before, body: next.body }));
  const there = new Set(untouchedBy(earlier, next.before).kept);
  const gone =
    earlier.listed === undefined || next.listed === undefined
      ? []
      : untouchedBy({ before: earlier.listed, body: earlier.body }, next.listed).lost;
  const taken = unseen(earlier, { gone }).lost;
  const isNewer = (path: string): boolean =>
    there.has(path) && earlier.listed !== undefined && wasAskedUnshown(path, earlier, earlier.listed);
  const open = leftOpenBy(earlier, earlier.answer)
    .filter((path) => left.has(path))
    .filter((path) => !gone.includes(path) || taken.includes(path) || isNewer(path));
  const carried = open.filter((path) => !there.has(path));
  // The look before it may be the answer to the earlier write, which contains values that lists lack now.
  const unlisted = open.filter((path) => carried.includes(path) || gone.includes(path));
  if (unlisted.length === 0) return next;
  const listed = earlier.listed && next.listed && restored({ before: earlier.listed }, next.listed, unlisted);
  return { ...next, before: restored(earlier, next.before, carried), listed };
}

/**
 * True if an earlier write asked for a field, and no list had shown that write when a later one left the field out: a
 * list without the field may then be older than the earlier write.
 */
function wasAskedUnshown(
  path: string,
  { unshown = [] }: Pick<Written, 'unshown'>,
  listed: ObservedDeployment,
): boolean {
  return unshown.some((body) => !leftOutBy({ before: listed, body }).includes(path));
}

/** The missing values of a level and of a resource spec, and all that is missing, even if it was emptied before. */
interface Missing {
  readonly gone: readonly string[];
  readonly parts?: readonly string[];
  readonly all?: readonly string[];
}

/** Judges missing values level by level, when no look has shown the write itself. */
function unseen(
  written: Written,
  { gone, parts = [], all = gone }: Missing,
): Pick<Effect, 'lost' | 'dropped'> {
  const { body, listed } = written;
  const left = leftOutBy(written);
  const isAll = (level: Level): boolean => {
    // A flag or a number may be a default that fills an emptied block.
    const there = left.filter((path) => levelOf(path, body) === level && !isBare(written.before, path));
    return there.length > 1 && there.every((path) => all.includes(path));
  };
  const lost = gone.filter((path) => isAll(levelOf(path, body)));
  const rest = written.answered === false ? [] : [...gone.filter((path) => !lost.includes(path)), ...parts];
  const names = listed?.secrets?.map(({ name }) => `secrets.${name}`) ?? [];
  return { lost, dropped: rest.flatMap((path) => (path === 'secrets' ? names : [path])) };
}

/** True if a look shows a flag or a number at the path of a single field. */
function isBare(look: ObservedDeployment, path: string): boolean {
  const [block, key = ''] = path.split('.');
  if (block !== 'sourceConfig' && block !== 'sourceRevisionConfig') return false;
  const value = look[block]?.fields[key];
  return typeof value === 'boolean' || typeof value === 'number';
}

/** True if a look shows something at a path; undefined if it does not show the block of the path. */
export function isShown(look: ObservedDeployment, path: string): boolean | undefined {
  const [block = '', key = '', ...rest] = path.split('.');
  switch (block) {
    case 'secrets': {
      const names = look.secrets?.map(({ name }) => name);
      const name = path.slice('secrets.'.length);
      return names && (path === 'secrets' ? names.length > 0 : names.includes(name));
    }
    case 'secretReferences':
      return look.secretReferences === undefined ? undefined : (look.secretReferences?.length ?? 0) > 0;
    case 'sourceRevisionConfig':
      return look.sourceRevisionConfig && !isEmpty(look.sourceRevisionConfig.fields[key]);
    default: {
      const config = look.sourceConfig;
      if (key !== 'resourceSpec') return config && !isEmpty(config.fields[key]);
      const values = valuesOf(config?.resourceSpec);
      if (rest.length === 0) return config && values.size > 0;
      return config && (values.has(rest.join('.')) || hasMember(config.resourceSpec, rest));
    }
  }
}

/** True if an object of a resource spec has a key with a value. The name of the key may contain dots. */
function hasMember(spec: Spec, [name = '', ...member]: readonly string[]): boolean {
  const map = spec?.fields[name];
  const key = member.join('.');
  return isJsonObject(map) && Object.hasOwn(map, key) && !isEmpty(map[key]);
}

/** The path of the whole resource spec. */
export const WHOLE_SPEC = 'sourceConfig.resourceSpec';

/** Blocks that requests leave out as a whole, and that are watched part by part. */
const WHOLES = ['secrets', WHOLE_SPEC] as const;

/** True if paths contain a path, or the list or block to which it belongs. */
export function areNaming(paths: readonly string[], path: string): boolean {
  return (
    paths.includes(path) || WHOLES.some((whole) => path.startsWith(`${whole}.`) && paths.includes(whole))
  );
}

/**
 * True for a part of a list or block with other parts that are shown: a service that empties omitted fields would leave
 * nothing of the block.
 */
export function isOneOf(look: ObservedDeployment, path: string): boolean {
  return WHOLES.some((whole) => path.startsWith(`${whole}.`) && isShown(look, whole) === true);
}

/** Returns the values that our last write emptied and that a look does not show again. */
export function stillLost(
  written: Written | undefined,
  now: ObservedDeployment,
  { via, beganMs }: { readonly via: 'list' | 'answer'; readonly beganMs: number },
): readonly string[] {
  const { lost = [], repair } = written?.effect ?? {};
  if (written === undefined || lost.length === 0) return lost;
  if (repair !== undefined && (via === 'answer' || beganMs < written.dueMs)) return [];
  if (via === 'answer') return lost;
  const missing = new Set(untouchedBy(written, now).lost);
  return lost.filter((path) => missing.has(path));
}

/** Returns the level at which a request left a path out. */
export function levelOf(path: string, body: PatchBody): Level {
  if (path.startsWith('sourceConfig.') && body.sourceConfig !== undefined) return 'sourceConfig';
  const hasRevision = body.sourceRevisionConfig !== undefined;
  return path.startsWith('sourceRevisionConfig.') && hasRevision ? 'sourceRevisionConfig' : 'blocks';
}

/** Returns the shown deployment with every lost value restored, unless another value has replaced it. */
export function restored(
  { before, answer }: Pick<Written, 'before' | 'answer'>,
  now: ObservedDeployment,
  lost: readonly string[],
): ObservedDeployment {
  const back = (path: string): boolean => lost.includes(path);
  const keys = (prefix: string, was: JsonObject | undefined): JsonObject =>
    Object.fromEntries(Object.entries(was ?? {}).filter(([key]) => back(`${prefix}.${key}`)));
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences } = before;
  const shown = now.sourceConfig?.resourceSpec;
  const spec = back(WHOLE_SPEC)
    ? withShown(sourceConfig?.resourceSpec, shown, answer?.sourceConfig?.resourceSpec)
    : shown;
  return {
    ...now,
    sourceConfig: {
      fields: { ...now.sourceConfig?.fields, ...keys('sourceConfig', sourceConfig?.fields) },
      ...defined({ resourceSpec: spec }),
    },
    sourceRevisionConfig: {
      ...now.sourceRevisionConfig,
      fields: {
        ...now.sourceRevisionConfig?.fields,
        ...keys('sourceRevisionConfig', sourceRevisionConfig?.fields),
      },
    },
    ...(back('secrets') && secrets !== undefined ? { secrets } : {}),
    ...(back('secretReferences') && secretReferences !== undefined ? { secretReferences } : {}),
  };
}

/**
 * Returns an earlier resource spec, overlaid with the keys that are shown now: somebody set them, or they are defaults
 * of the service. Excludes a value that the answer to the write also shows, since the write itself caused it.
 */
function withShown(was: Spec, now: Spec, answered: Spec): Spec {
  if (was === undefined || was === null || !now) return was;
  const shown = (part: 'fields' | 'unknown'): JsonObject =>
    Object.fromEntries(
      Object.entries(now[part]).filter(
        ([key, value]) => !isEmpty(value) && !isSame(value, answered?.[part][key]),
      ),
    );
  return {
    ...was,
    fields: { ...was.fields, ...shown('fields') },
    unknown: { ...was.unknown, ...shown('unknown') },
  };
}

function isSame(a: Json, b: Json | undefined): boolean {
  return stableText(a) === stableText(b ?? null);
}
