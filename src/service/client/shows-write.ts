import type { Sent } from '../../model/effects/untouched.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { PatchBody } from '../../model/external/patch-body.ts';
import { isJsonObject } from '../../base/json.ts';
import { namedConfigs } from '../../model/external/named-only.ts';
import { sameShown } from '../list/snapshot.ts';

/** A write: the deployment before it, and the answer to it. */
export interface AnsweredWrite {
  readonly before: ObservedDeployment | undefined;
  readonly deployment: ObservedDeployment;
  /** Revisions that reads showed before this write. */
  readonly older: readonly ObservedDeployment['latestRevisionID'][];
  /** The requested values; absent for a creation. */
  readonly body?: PatchBody | undefined;
  /** The writes before this one whose windows had not ended. */
  readonly earlier?: readonly Pick<Sent, 'before'>[] | undefined;
}

/**
 * True if a read shows the changes of a write, so it happened after the write. It must show everything in which the
 * answer differs from the deployment before, under the revision of the answer, if that shows one, or a newer one. Lists
 * may never show other fields of an answer, which the write did not request. A read that shows a requested change may
 * still list secrets that the write left out: the service may keep them although its answer repeats only the request.
 */
export function showsWrite(
  { before, deployment: answer, older, body, earlier = [] }: AnsweredWrite,
  read: ObservedDeployment,
): boolean {
  if (before === undefined || isFromBefore({ deployment: answer, older }, read)) return false;
  const { latestRevisionID: revision } = read;
  const sameRevision = revision === answer.latestRevisionID;
  const [was, is, shown] = [partsOf(before), partsOf(answer), partsOf(read)];
  const asked = body && askedPaths(body);
  const changed = changedBetween(was, is).filter((path) => was.has(path) || asked?.has(path) !== false);
  const isShown = (path: string): boolean => showsPart(was.get(path), is.get(path), shown.get(path));
  const madeRevision = sameRevision && revision !== undefined && revision !== before.latestRevisionID;
  const isLeftOut = (path: string): boolean => isSecret(path) && asked?.has(path) === false && !is.has(path);
  const isAskedShown = changed.some((path) => asked?.has(path) === true && isShown(path));
  const counted = isAskedShown ? changed.filter((path) => !isLeftOut(path)) : changed;
  const isRestShown = counted.every((path) => isHidden(path, read) || isShown(path));
  if (!madeRevision) return changed.some(isShown) && isRestShown;
  const areSecretsShown = counted.filter(isSecret).every(isShown);
  // A list under that revision that shows none of the changed parts hides them, unless looks before an earlier write
  // showed one: that write may have emptied it, and the list may be from before its repair.
  const looks = earlier.map((one) => partsOf(one.before));
  const areHidden = changed.every((path) => ![shown, ...looks].some((look) => look.has(path)));
  return areHidden || (changed.some(isShown) && (areSecretsShown || isRestShown));
}

/** True if an answer differs in several parts from the deployment before the write. */
export function changesSeveral({
  before,
  deployment,
}: Pick<AnsweredWrite, 'before' | 'deployment'>): boolean {
  return before !== undefined && changedBetween(partsOf(before), partsOf(deployment)).length > 1;
}

/**
 * True if a read shows everything as it was before the first of several writes, and beside that only values that no
 * write changed and that the answer to the last one shows too. The look before a write may be older than such values,
 * for example than the defaults that a service fills in with the first revision.
 */
export function showsStateBefore(
  writes: readonly Sent[],
  { deployment, older }: Pick<AnsweredWrite, 'deployment' | 'older'>,
  read: ObservedDeployment,
): boolean {
  if (isFromAfter({ older }, read)) return false;
  const [shown, is] = [partsOf(read), partsOf(deployment)];
  const looks = writes.map(({ before }) => partsOf(before));
  const ours = writes.flatMap(({ body }, at) => {
    const asked = askedPaths(body);
    return changedBetween(looks[at] ?? is, looks[at + 1] ?? is).filter((path) => asked.has(path));
  });
  const [was = is] = looks;
  return changedBetween(was, shown)
    .filter((path) => !isHidden(path, read))
    .every((path) => !was.has(path) && !ours.includes(path) && sameShown(is.get(path), shown.get(path)));
}

/**
 * True if a read shows nothing of the last of several writes, and each of its parts as it was before one of them, but not
 * all as before the last one. Answers may show values that no read shows, so the look before a write may mix both.
 */
export function showsOlderStates(
  writes: readonly Sent[],
  { deployment, older }: Pick<AnsweredWrite, 'deployment' | 'older'>,
  read: ObservedDeployment,
): boolean {
  // Somebody may have gone back to such values under a revision of their own.
  if (isFromAfter({ older }, read)) return false;
  const [shown, is] = [partsOf(read), partsOf(deployment)];
  const looks = writes.map(({ before }) => partsOf(before));
  const last = looks.at(-1) ?? is;
  const wrote = new Set(changedBetween(last, is));
  const isIn = (look: ReadonlyMap<string, unknown>, path: string): boolean =>
    sameShown(look.get(path), shown.get(path));
  const paths = [...shown.keys()];
  const areOld = paths.every((path) => looks.some((look) => isIn(look, path)));
  return (
    areOld &&
    !paths.some((path) => wrote.has(path) && isIn(is, path)) &&
    !paths.every((path) => isIn(last, path))
  );
}

function changedBetween(
  was: ReadonlyMap<string, unknown>,
  is: ReadonlyMap<string, unknown>,
): readonly string[] {
  const paths = [...new Set([...was.keys(), ...is.keys()])];
  return paths.filter((path) => !sameShown(was.get(path), is.get(path)));
}

/**
 * True if a read shows a part as the answer does. Somebody may have set other keys of a map since, so of a map it must
 * show only the keys that the write changed.
 */
function showsPart(was: unknown, is: unknown, shown: unknown): boolean {
  if (!isJsonObject(is) || !isJsonObject(shown)) return sameShown(is, shown);
  const before = isJsonObject(was) ? was : {};
  const changed = Object.keys({ ...before, ...is }).filter((key) => !sameShown(before[key], is[key]));
  return changed.length === 0 ? sameShown(is, shown) : changed.every((key) => sameShown(is[key], shown[key]));
}

/** True for a read under a revision that was the newest before the write, if the answer shows another one. */
export function isFromBefore(
  { deployment: { latestRevisionID }, older }: Pick<AnsweredWrite, 'deployment' | 'older'>,
  read: ObservedDeployment,
): boolean {
  const { latestRevisionID: revision } = read;
  return latestRevisionID !== undefined && revision !== latestRevisionID && older.includes(revision);
}

/**
 * True for a read under a revision that no read before the write showed. Such a read shows a later state than the look
 * before the write.
 */
export function isFromAfter({ older }: Pick<AnsweredWrite, 'older'>, read: ObservedDeployment): boolean {
  const { latestRevisionID: revision } = read;
  return typeof revision === 'string' && !older.includes(revision);
}

/** True for a part that a list may hide: it may show no secrets, or no revision block. */
function isHidden(path: string, read: ObservedDeployment): boolean {
  if (isSecret(path)) return isEmptyList(read.secrets);
  return isOfRevision(path) && read.sourceRevisionConfig === undefined;
}

function isEmptyList(list: ObservedDeployment['secrets']): boolean {
  return (list ?? []).length === 0;
}

function isSecret(path: string): boolean {
  return path.startsWith('secrets.');
}

function isOfRevision(path: string): boolean {
  return path.startsWith('sourceRevisionConfig.');
}

/** Returns, by path, all parts that one write may change while another write leaves them unchanged. */
function partsOf(shown: ObservedDeployment): ReadonlyMap<string, unknown> {
  const { secrets, secretReferences } = shown;
  const { sourceConfig, sourceRevisionConfig } = namedConfigs(shown);
  const { fields = {}, unknown = {} } = sourceConfig?.resourceSpec ?? {};
  const keyed = (prefix: string, values: object): [string, unknown][] =>
    Object.entries(values).map(([key, value]) => [`${prefix}.${key}`, value]);
  return new Map([
    ...keyed('sourceConfig', sourceConfig?.fields ?? {}),
    ...keyed('resourceSpec', fields),
    ...keyed('unknown', unknown),
    ...keyed('sourceRevisionConfig', sourceRevisionConfig?.fields ?? {}),
    ...(secrets ?? []).map((secret): [string, unknown] => [`secrets.${secret.name}`, secret]),
    ...(secretReferences ?? []).map((one): [string, unknown] => [`secretReferences.${one.name}`, one]),
  ]);
}

/** Returns the paths of `partsOf` that a request contains. */
function askedPaths(body: PatchBody): ReadonlySet<string> {
  const { sourceConfig, sourceRevisionConfig, secrets = [], secretReferences = [] } = body;
  const { fields = {}, unknown = {} } = sourceConfig?.resourceSpec ?? {};
  const keyed = (prefix: string, names: readonly string[]): string[] =>
    names.map((name) => `${prefix}.${name}`);
  return new Set([
    ...keyed('sourceConfig', Object.keys(sourceConfig?.fields ?? {})),
    ...keyed('resourceSpec', Object.keys(fields)),
    ...keyed('unknown', Object.keys(unknown)),
    ...keyed('sourceRevisionConfig', Object.keys(sourceRevisionConfig ?? {})),
    ...keyed(
      'secrets',
      secrets.map(({ name }) => name),
    ),
    ...keyed(
      'secretReferences',
      secretReferences.map(({ name }) => name),
    ),
  ]);
}
