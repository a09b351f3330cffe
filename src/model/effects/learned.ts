import type { ConnectionStatus } from '../../api/connection.ts';
import { showsArrival } from './shows-arrival.ts';
import { unlisted } from './beyond-unshown.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import { shareValue } from '../recorded/masks.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Arrival, Written } from './effect-of.ts';
import { isSpecShown } from '../external/shown.ts';
import { leftOutBy, type Untouched, untouchedBy } from './untouched.ts';
import type { ObservedDeployment, ObservedSecret } from '../external/observation.ts';
import { buildsImages, type PatchBody, type SentSecret } from '../external/patch-body.ts';

/** The lessons about a service from our own writes: verdicts without values. */
export type Learned = NonNullable<ConnectionStatus['learned']>;

/** The questions about a service that can be answered by observation. */
export type Topic = Exclude<keyof Learned, 'tenantID'>;

/** One observation from one write. */
export interface Lesson {
  readonly topic: Topic;
  readonly verdict: string;
}

/** The verdict of each topic that is believed at the first observation, since it does no harm if it is wrong. */
const CAREFUL: Readonly<Partial<Record<Topic, string>>> = {
  omittedFields: 'Replace',
  nulls: 'Ignored',
  revisionTrigger: 'Presence',
};

/**
 * The topics whose newest observation counts at once. A wrong Plain would make us write a mask back as a value, and a
 * wrong Listed would lose the unseen keys of a resource spec.
 */
const NEWEST_COUNTS: ReadonlySet<Topic> = new Set<Topic>(['secretsVisibility', 'resourceSpecs']);

/** The number of observations in a row that overrule a careful verdict; no more are counted. */
const ENOUGH = 3;

/** The verdicts that the service kept something which a write left out or was to empty. */
const KEEPING: ReadonlySet<string> = new Set(['Keep', 'Merge', 'Ignored']);

/** The facts for the lessons of a write, besides a list after it. */
interface Facts extends Untouched {
  /** Whether the list shows the write. A list that may be older than the write shows nothing as kept. */
  readonly arrival?: Arrival | undefined;
  /** The start of the list's read. Without it, the list may be from within the window of the write. */
  readonly beganMs?: number | undefined;
  /** The secrets in the newest list that showed one of ours unchanged. */
  readonly seen?: readonly ObservedSecret[] | undefined;
}

/** Returns the lessons of a write, from a list after it and from what happened to everything that it left out. */
export function lessonsOf(
  written: Written,
  after: ObservedDeployment,
  { seen, arrival, beganMs = 0, ...untouched }: Facts,
): readonly Lesson[] {
  const lessons = [
    omittedFields(written, after, untouched),
    revisionTrigger(written, after, untouched.kept),
    nulls(written, after),
    lists(written, after, beganMs),
    secretsVisibility(written, after, seen),
    arrival === 'open' ? undefined : resourceSpecs(written, after, beganMs),
  ].filter((lesson) => lesson !== undefined);
  return lessons.filter(({ verdict }) => arrival !== 'open' || !KEEPING.has(verdict));
}

/** The observations of a verdict that is not believed yet. */
export interface Streak {
  readonly verdict: string;
  readonly count: number;
  readonly deployments: readonly string[];
}

/**
 * Adds one lesson. A careful verdict, and how secrets are shown, is believed at once. Any other change of a verdict
 * needs three observations in a row, on two deployments if we write to at least two. `writers` is the number of
 * deployments to which we write.
 */
export function believe(
  learned: Learned,
  { topic, verdict }: Lesson,
  facts: {
    readonly deploymentID: string;
    readonly writers: number;
    readonly streak: Streak | undefined;
    readonly nowMs: number;
  },
): { readonly learned: Learned; readonly streak: Streak | undefined } {
  const before = learned[topic];
  if (before?.verdict === verdict) {
    if (before.count >= ENOUGH) return { learned, streak: undefined };
    return { learned: { ...learned, [topic]: { ...before, count: before.count + 1 } }, streak: undefined };
  }
  const time = new Date(facts.nowMs).toISOString();
  const now: Learned = { ...learned, [topic]: { verdict, count: 1, time } };
  if (before === undefined || CAREFUL[topic] === verdict || NEWEST_COUNTS.has(topic))
    return { learned: now, streak: undefined };
  const same = facts.streak?.verdict === verdict ? facts.streak : undefined;
  const deployments = [...new Set([...(same?.deployments ?? []), facts.deploymentID])];
  const streak = { verdict, count: (same?.count ?? 0) + 1, deployments };
  const enough = streak.count >= ENOUGH && streak.deployments.length >= Math.min(2, facts.writers);
  return enough ? { learned: now, streak: undefined } : { learned, streak };
}

/** Returns whether omitted fields and keys keep their values. */
function omittedFields(
  written: Written,
  after: ObservedDeployment,
  { lost, kept }: Untouched,
): Lesson | undefined {
  if (lost.length > 0) return { topic: 'omittedFields', verdict: 'Replace' };
  const stayed = kept.filter((path) => !maySetAgain(written, after, path) && !isFlag(after, path));
  return stayed.length > 0 ? { topic: 'omittedFields', verdict: 'Keep' } : undefined;
}

/** True for a flag: the service may have set its default again. */
function isFlag({ sourceConfig }: ObservedDeployment, path: string): boolean {
  const [block, key = ''] = path.split('.');
  return block === 'sourceConfig' && typeof sourceConfig?.fields[key] === 'boolean';
}

/**
 * True if the answer shows a revision, and the block of a field without the field, and the list shows a revision that
 * neither the answer nor the look before has: another client may have set the value again.
 */
function maySetAgain({ before, body, answer }: Written, after: ObservedDeployment, path: string): boolean {
  const [block] = path.split('.');
  if (answer === undefined || (block !== 'sourceConfig' && block !== 'sourceRevisionConfig')) return false;
  const known = [before, answer].map(({ latestRevisionID }) => latestRevisionID);
  if (!answer.latestRevisionID || answer[block] === undefined || known.includes(after.latestRevisionID))
    return false;
  return !untouchedBy({ before, body }, answer).kept.includes(path);
}

/** Returns whether an explicit null empties a field. */
function nulls({ before, body, listed, answer }: Written, after: ObservedDeployment): Lesson | undefined {
  const judged = BLOCKS_WITH_NULLS.flatMap(({ sent, shown }) => {
    // A value that lists never showed is also missing in a list after the write.
    const [was, is] = [shown(listed ?? before), shown(after)];
    if (is === undefined) return [];
    const told = answer && shown(answer);
    return nullsIn(sent(body))
      .filter((key) => !isEmpty(was?.[key]))
      .map((key) => {
        // Alternating replicas may show older states, which may lack the value too. So the answer must also lack it.
        if (isEmpty(is[key])) return told !== undefined && isEmpty(told[key]) ? 'Clears' : undefined;
        // A number or a flag may be a default, which the service shows for an empty field.
        if (typeof is[key] !== 'string' && typeof is[key] !== 'object') return undefined;
        // Somebody has set a value since, which the answer lacks.
        if (told !== undefined && isEmpty(told[key])) return undefined;
        return stableText(is[key] ?? null) === stableText(was?.[key] ?? null) ? 'Ignored' : undefined;
      });
  });
  const verdict = judged.includes('Ignored') ? 'Ignored' : judged.find((one) => one !== undefined);
  return verdict === undefined ? undefined : { topic: 'nulls', verdict };
}

/** Returns the lesson of a final refusal: if a request only asked to empty fields, the service rejects nulls (N5). */
export function lessonOfRefusal(body: PatchBody, before: ObservedDeployment): Lesson | undefined {
  if (body.secrets !== undefined || body.secretReferences !== undefined) return undefined;
  const blocks = BLOCKS_WITH_NULLS.map(({ sent, shown }) => ({ sent: sent(body) ?? {}, was: shown(before) }));
  const asksForMore = blocks.some(({ sent, was }) =>
    Object.entries(sent).some(
      ([key, value]) => value !== null && stableText(value) !== stableText(was?.[key] ?? null),
    ),
  );
  const asksToEmpty = blocks.some(({ sent }) => nullsIn(sent).length > 0);
  return asksToEmpty && !asksForMore ? { topic: 'nulls', verdict: 'Rejected' } : undefined;
}

const BLOCKS_WITH_NULLS: readonly {
  readonly sent: (body: PatchBody) => JsonObject | undefined;
  readonly shown: (look: ObservedDeployment) => JsonObject | undefined;
}[] = [
  { sent: (body) => body.sourceConfig?.fields, shown: (look) => look.sourceConfig?.fields },
  {
    sent: (body) => body.sourceConfig?.resourceSpec?.fields,
    shown: (look) => look.sourceConfig?.resourceSpec?.fields,
  },
  { sent: (body) => body.sourceRevisionConfig, shown: (look) => look.sourceRevisionConfig?.fields },
];

function nullsIn(sent: JsonObject | undefined): readonly string[] {
  return Object.entries(sent ?? {}).flatMap(([key, value]) => (value === null ? [key] : []));
}

/** Returns whether a list of secrets replaces the existing one, or is merged with it by name. */
function lists(written: Written, after: ObservedDeployment, beganMs: number): Lesson | undefined {
  const { before, body, answer, listed } = written;
  if (body.secrets === undefined || after.secrets === undefined || after.secrets.length === 0)
    return undefined;
  const [was, sent, is] = [before.secrets ?? [], body.secrets, after.secrets].map(namesOf);
  if (was === undefined || sent === undefined || is === undefined) return undefined;
  // An answer with only some blocks may leave out names that are gone. A name that no list showed did not exist.
  const there = namesOf((listed ?? before).secrets ?? []);
  const gone = [...was].filter((name) => !sent.has(name) && there.has(name));
  if (gone.length === 0) return undefined;
  const remaining = gone.filter((name) => is.has(name));
  // Unless the answer shows the same, somebody may have removed the names since, or put them back.
  if (answer?.secrets === undefined) return undefined;
  const told = namesOf(answer.secrets);
  if (remaining.length === 0) {
    // A service that replaces the list leaves no name of others; the look before the write may be an answer without them.
    const isKept = [...there].some((name) => !sent.has(name) && is.has(name));
    // An answer without a revision may repeat only the request. One without a sent name may show the state before it.
    const isTold = answer.latestRevisionID !== undefined && [...sent].every((name) => told.has(name));
    // If an earlier write left every name out too, and it stayed, somebody may have removed it since; or that write did.
    const isNew = (name: string): boolean =>
      unlisted(written).every(({ secrets = [] }) => namesOf(secrets).has(name));
    const isEmptied = isTold && gone.some(isNew) && gone.every((name) => !told.has(name));
    return isEmptied && !isKept ? { topic: 'lists', verdict: 'Replace' } : undefined;
  }
  // If the answer lacked a name that a list shows, a lagging replica shows it, or somebody added it since.
  const arrived = [...sent].some((name) => is.has(name) && !was.has(name));
  if (!arrived && remaining.some((name) => !told.has(name))) return undefined;
  // Somebody may have set the other requested values just before, and the answer and the list show that state.
  if (beganMs < written.dueMs && !showsSecretsArrival(written, after)) return undefined;
  return remaining.length === gone.length ? { topic: 'lists', verdict: 'Merge' } : undefined;
}

/** True if a list shows a sent name or a sent value, and neither the look nor the list before the write did. */
function showsSecretsArrival({ before, listed = before, body }: Written, after: ObservedDeployment): boolean {
  const { secrets = [] } = body;
  return [before, listed].every((look) => showsArrival({ before: look, body: { secrets } }, after));
}

/**
 * Judges whether a request that changes nothing makes a revision. Does so only if everything that the request left out
 * is shown as kept, including another block: a request that empties something does change something.
 */
function revisionTrigger(
  written: Written,
  after: ObservedDeployment,
  kept: readonly string[],
): Lesson | undefined {
  const { before, body, unshown = [], followsUnrevised = false } = written;
  const revision = body.sourceRevisionConfig;
  // The new revision may be that of an earlier write.
  if (unshown.length > 0 || followsUnrevised) return undefined;
  if (revision === undefined || body.secrets !== undefined || body.sourceConfig !== undefined)
    return undefined;
  const shown = before.sourceRevisionConfig?.fields ?? {};
  if (!Object.entries(revision).every(([key, value]) => shown[key] === value)) return undefined;
  const moved = before.latestRevisionID !== after.latestRevisionID;
  if (moved && (mayBeOfOthers(written, after) || hidesImage(before))) return undefined;
  if (moved && (!kept.some(isBeside) || leftOutBy(written).some((path) => !kept.includes(path))))
    return undefined;
  return { topic: 'revisionTrigger', verdict: moved ? 'Presence' : 'Change' };
}

/**
 * True for a part that a request leaves out with its whole block. If it stays, so do the blocks that lists do not show.
 */
function isBeside(path: string): boolean {
  return !path.startsWith('sourceRevisionConfig.');
}

/**
 * True if the image that a deployment must have is not shown. A request that leaves it out may empty it, which is a
 * change.
 */
function hidesImage(before: ObservedDeployment): boolean {
  return !buildsImages(before) && isEmpty(before.sourceRevisionConfig?.fields['imageURI']);
}

/**
 * True if another client may have made the new revision: the answer does not show it, or an edit between the look and
 * the write may have made it.
 */
function mayBeOfOthers({ before, answer }: Written, after: ObservedDeployment): boolean {
  if (answer?.latestRevisionID !== after.latestRevisionID) return true;
  const built = buildsImages(before);
  const [was, is] = [before, after].map(({ sourceConfig, sourceRevisionConfig }) => {
    const { imageURI, ...revision } = sourceRevisionConfig?.fields ?? {};
    const image = built ? null : (imageURI ?? null);
    return stableText([
      sourceConfig?.fields ?? {},
      sourceConfig?.resourceSpec?.fields ?? {},
      revision,
      image,
    ]);
  });
  return was !== is;
}

/**
 * Judges whether lists show a resource spec that the answer shows. A list that shows none may be from after another
 * client removed it, unless no list showed one before the write either.
 */
function resourceSpecs(written: Written, after: ObservedDeployment, beganMs: number): Lesson | undefined {
  const { before, listed = before, body, unshown = [], answer, dueMs } = written;
  const isAnswered = answer !== undefined && isSpecShown(answer);
  if (!isAnswered || isSpecShown(listed) || isSpecShown(after) || after.sourceConfig === undefined)
    return undefined;
  // The answer may show the state before a write of ours that removed the resource spec, and the list that before one that
  // set it.
  const isOurs = [body, ...unshown].some(({ sourceConfig }) => sourceConfig !== undefined);
  return isOurs && beganMs < dueMs ? undefined : { topic: 'resourceSpecs', verdict: 'Hidden' };
}

/**
 * Judges how the service shows secret values. `Plain` means an exact echo of a value that was not shown before. `seen`
 * are the secrets in the newest list that showed one of ours unchanged.
 */
export function secretsVisibility(
  written: Written,
  after: ObservedDeployment,
  seen: readonly ObservedSecret[] = [],
): Lesson | undefined {
  if ((written.body.secrets ?? []).length === 0) return undefined;
  const verdict = visibilityOf(written, after, seen);
  return verdict === undefined ? undefined : { topic: 'secretsVisibility', verdict };
}

function visibilityOf(
  written: Written,
  after: ObservedDeployment,
  seen: readonly ObservedSecret[],
): string | undefined {
  const { before, body, answer, listed } = written;
  const shown = new Map(after.secrets?.map((secret) => [secret.name, secret]));
  // If lists showed names before, a list without names may be old, or somebody emptied it.
  const isArrived = answer !== undefined || showsArrival({ before, body }, after);
  if (shown.size === 0) return isArrived && (listed?.secrets ?? []).length === 0 ? 'Omitted' : undefined;
  const values = (body.secrets ?? []).filter(({ name }) => shown.has(name));
  // A list without any of the sent names shows nothing of the write.
  if (values.length === 0) return undefined;
  if (values.every(({ name }) => shown.get(name)?.value === undefined))
    return values.some(({ name }) => shown.get(name)?.isNull === true) ? 'Masked' : 'NamesOnly';
  const others = values.filter((secret) => !isEchoed(secret, after));
  const earlier = [before, answer, { secrets: seen }];
  // A list that still shows a value as it stood beside one of ours does not mask, and may be older than the write. Nor
  // does a list that is the first to show a value as an earlier write sent it.
  const isNew = isArrived && !shareValue(seen, after.secrets) && !echoesUnshown(written, after);
  if (others.length > 0 && isMasking(others, values, { shown, earlier, isNew })) return 'Masked';
  // Another value may be a mask of an unknown form, unless a list has shown it as it was sent, or the answer has and
  // somebody has made a revision since: lists may mask what answers show.
  const looks = [listed, isMoved(written, after) ? answer : undefined];
  const areEdits = others.every((secret) => looks.some((look) => look && isEchoed(secret, look)));
  const isEcho = newlySent({ before, body }).some((secret) => isEchoed(secret, after));
  return areEdits && isEcho ? 'Plain' : undefined;
}

/** True if a list shows another revision than the answer to a write. */
function isMoved({ answer }: Written, { latestRevisionID }: ObservedDeployment): boolean {
  return answer?.latestRevisionID !== undefined && answer.latestRevisionID !== latestRevisionID;
}

/** True if an answer shows a secret that its write sent, and a list another revision: somebody may have removed it since. */
export function mayBeRemovedSince(written: Written, list: ObservedDeployment): boolean {
  return isMoved(written, list) && isSecretAnswered(written);
}

/** True if an answer shows a secret that its write sent. */
export function isSecretAnswered({ body, answer }: Written): boolean {
  const shown = namesOf(answer?.secrets ?? []);
  return (body.secrets ?? []).some(({ name }) => shown.has(name));
}

/** True if a list shows a secret as an earlier write sent it, and no list before this one had shown that write. */
function echoesUnshown(written: Written, list: ObservedDeployment): boolean {
  const { before, listed = before } = written;
  return unlisted(written).some((body) =>
    newlySent({ before: listed, body }).some((secret) => isEchoed(secret, list)),
  );
}

/** Returns the sent values that were not shown before and do not look like masks: an exact echo of one is a proof. */
export function newlySent({ before, body }: Pick<Written, 'before' | 'body'>): readonly SentSecret[] {
  return (body.secrets ?? []).filter((secret) => !secret.value.looksMasked && !isEchoed(secret, before));
}

/**
 * True if shown values that differ from the sent ones are masks (N37). They are not if they do not look like masks and
 * somebody may have edited them since (R18): another secret is shown as sent, or the answer or an earlier look showed
 * these as sent.
 */
function isMasking(
  others: readonly SentSecret[],
  values: readonly SentSecret[],
  {
    shown,
    earlier,
    isNew,
  }: {
    readonly shown: ReadonlyMap<string, ObservedSecret>;
    /** The look before the write, the answer, and the newest list that showed one of ours unchanged. */
    readonly earlier: readonly (Pick<ObservedDeployment, 'secrets'> | undefined)[];
    /** True if a look shows that the write arrived, and the list may mask; otherwise the values may be older. */
    readonly isNew: boolean;
  },
): boolean {
  const looks = others.every(({ name, value }) => shown.get(name)?.value?.masks(value) ?? true);
  const wasShown = earlier.some((look) => look && others.every((secret) => isEchoed(secret, look)));
  return looks || (isNew && others.length === values.length && !wasShown);
}

function isEchoed(
  { name, value }: SentSecret,
  { secrets = [] }: Pick<ObservedDeployment, 'secrets'>,
): boolean {
  return secrets.some((secret) => secret.name === name && secret.value?.equals(value) === true);
}

/** Returns the names of secrets. */
export function namesOf(list: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(list.map(({ name }) => name));
}

/**
 * True for a lesson that a write without an answer can prove: that something is gone, or that the service shows a
 * secret as sent. If nothing changed, the write may simply not have arrived.
 */
export function isProof({ topic, verdict }: Lesson): boolean {
  return verdict === (topic === 'omittedFields' ? 'Replace' : topic === 'secretsVisibility' ? 'Plain' : '');
}
