import type { DeploymentResource } from '../../api/deployment.ts';
import { defined } from '../../base/defined.ts';
import { budgetOf, newGenerationOf, revisionsPerHour, spend, type Spending } from '../plan/budget.ts';
import type { BodyMode } from './body-mode.ts';
import type { Cause } from '../compare/change.ts';
import { bodyPart, requestDigest, secretsDigest } from '../compare/evidence.ts';
import { REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { areNaming, carriedOver, WHOLE_SPEC } from '../effects/effect-of.ts';
import { keysOfOthers } from '../effects/shared-maps.ts';
import { leftOutBy, valuesOf } from '../effects/untouched.ts';
import { isEmptied, type Judgement } from '../compare/judge-fields.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { isEmptyBody, mayMakeRevision, type PatchBody, patchBody } from '../external/patch-body.ts';
import type { Announcement, Plan, Withheld } from '../plan/plan.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { releasedSecrets } from './released-secrets.ts';
import { storedApplied } from '../compare/applied-by-write.ts';
import { patchRecord } from '../recorded/accepted-patch.ts';
import { bindingOf, observedConfig, revisionsAfter } from '../recorded/record-facts.ts';
import type { Present } from '../plan/situation.ts';
import { lacksOurs } from './lacks-ours.ts';
import type { Selection } from './selection.ts';
import { isNewestOurs } from '../compare/whose-revision.ts';

/** Returns the body that sends a selection. */
export function bodyOf(
  { desired, observed, assessment, listedPaths }: Present,
  selection: Selection,
  mode: Extract<BodyMode, { kind: 'possible' }>,
): PatchBody {
  const withheld = selection.withheld.filter((one) => !wouldPinDeclared(one, mode.base));
  const defaults = assessment.judgements.filter((judgement) => isDefault(judgement, listedPaths));
  return patchBody(desired, observed, {
    paths: new Set(sentPaths(selection)),
    withheld: new Set(withheld.map(({ path }) => path)),
    reported: new Set([...selection.reported, ...selection.asShown]),
    defaulted: new Set(defaults.map((j) => j.desired.field.path)),
    redeploy: selection.redeploy,
    secrets: mode.secrets,
    base: mode.base,
    trial: mode.trial,
  });
}

/**
 * True for a branch that was sent as often as it may be, and that a full body would carry as the commit to which the
 * service resolved it (N36). The declared branch goes in place of the commit, which would pin it.
 */
function wouldPinDeclared({ path, reason }: Withheld, base: ObservedDeployment | undefined): boolean {
  const isGivenUp = path === REPO_REF_PATH && reason === 'NotConverging';
  return isGivenUp && looksLikeCommit(base?.sourceRevisionConfig?.fields['repoRef']);
}

/**
 * True for a field that we emptied and that is shown as the answer to that showed it. A value that only a later list
 * showed may be another client's. After another write this is no longer known, unless no list shows the field.
 */
function isDefault(judgement: Judgement, listedPaths: ReadonlySet<string>): boolean {
  const { baseline, was, shown } = judgement.digests;
  const isOfAnswer = was !== undefined || !listedPaths.has(judgement.desired.field.path);
  return isEmptied(judgement) && isOfAnswer && shown !== undefined && shown === baseline;
}

/** Makes the PATCH of a selection with this body, or returns undefined if it would be empty. */
export function patchPlan(
  present: Present,
  selection: Selection,
  { body, unsaved }: { readonly body: PatchBody; readonly unsaved: readonly string[] },
): Plan | undefined {
  if (isEmptyBody(body)) return undefined;
  return {
    kind: 'patch',
    id: present.observed.id,
    body,
    cause: causeOf(present, selection),
    changes: selection.changes,
    withheld: selection.withheld,
    reported: [...selection.reported, ...selection.asShown],
    unsaved,
    losses: present.assessment.lost,
    announcement: announcementOf(present, selection, body),
  };
}

/** The most parts of a list or block that an announcement names one by one; with more parts, it names the whole. */
const PARTS_KEPT = 20;

/** The number of paths that `status.leftOut` may hold; the API server refuses a status with more. */
const PATHS_KEPT = 64;

/**
 * Returns the values whose loss would go unnoticed if this process ended before a look shows whether the service kept
 * them.
 */
function atStake(present: Present, body: PatchBody): readonly string[] {
  const { resource, observed, assessment, settings, written } = present;
  const { before, listed } = carriedOver(written, { before: observed, body, listed: present.listed });
  if (settings.patchBodies === 'Partial') return [];
  if (listed === undefined) return unlistedLeftOut(present, body);
  const shown = new Set(leftOutBy({ before: listed, body }));
  const left = leftOutBy({ before, body });
  const leftOut = left
    .filter((path) => shown.has(path))
    .flatMap((path) => partsOf(path, present, { before, listed }));
  // The list may be older than the write that carried a resource spec, and whose answer shows it.
  const isListed = [...present.listedPaths].some((path) => areNaming([WHOLE_SPEC], path));
  const keys = isListed && left.includes(WHOLE_SPEC) ? keysIn(before, present) : [];
  // No look has decided about the omissions of the previous write yet. This write may contain them and still never be
  // sent.
  const unseen = resource.status?.leftOut ?? [];
  const released = body.secrets === undefined ? releasedSecrets(present) : [];
  const { unrestored } = assessment;
  const lost = assessment.lost.flatMap((path) => keysOf(path, present));
  const all = new Set([...leftOut, ...keys, ...released, ...unseen, ...lost, ...unrestored]);
  return [...all].slice(0, PATHS_KEPT);
}

/**
 * Returns the declared fields that a write leaves out before any list has shown the deployment, if the answer to its
 * creation showed them.
 */
function unlistedLeftOut({ observation, observed, desired }: Present, body: PatchBody): readonly string[] {
  if (observation.kind !== 'present' || observation.via !== 'answer') return [];
  const left = leftOutBy({ before: observed, body });
  return desired.fields.map(({ field }) => field.path).filter((path) => left.includes(path));
}

/** Returns a lost path, or the keys of a lost resource spec: a key that others had removed before is no loss of ours. */
function keysOf(path: string, present: Present): readonly string[] {
  const { written } = present;
  const keys = path === WHOLE_SPEC && written !== undefined ? keysIn(written.before, present) : [];
  return orWhole(path, keys);
}

/**
 * Returns the paths of the keys of a resource spec that have a value, if there are few, and of the keys that others have
 * in shared maps, if these are few too.
 */
function keysIn(look: ObservedDeployment, { desired }: Pick<Present, 'desired'>): readonly string[] {
  const keys = [...valuesOf(look.sourceConfig?.resourceSpec)].map((key) => `${WHOLE_SPEC}.${key}`);
  if (keys.length > PARTS_KEPT) return [];
  const all = [...keys, ...keysOfOthers(look, desired.fields)];
  return all.length <= PARTS_KEPT ? all : keys;
}

/**
 * Returns a block that was left out as a whole, part by part if it has few parts. A client that fills the block again
 * would hide the loss of the whole. Beside the secrets of others it names ours, of which an older list may show none.
 */
function partsOf(
  path: string,
  present: Present,
  { before, listed }: Readonly<Record<'before' | 'listed', ObservedDeployment>>,
): readonly string[] {
  const { assessment } = present;
  if (path === WHOLE_SPEC) return orWhole(path, keysIn(listed, present));
  if (path !== SECRETS_PATH) return [path];
  const isOurs = ({ name }: { readonly name: string }): boolean => assessment.secrets.digests.has(name);
  const others = (listed.secrets ?? []).filter((secret) => !isOurs(secret));
  const ours = others.length === 0 ? [] : (before.secrets ?? []).filter(isOurs);
  const names = [...others, ...ours].map(({ name }) => `${SECRETS_PATH}.${name}`);
  return orWhole(path, names.length <= PARTS_KEPT ? names : []);
}

function orWhole(path: string, parts: readonly string[]): readonly string[] {
  return parts.length > 0 ? parts : [path];
}

function announcementOf(present: Present, selection: Selection, body: PatchBody): Announcement {
  const paths = sentPaths(selection);
  const { observed, resource, settings, nowMs } = present;
  const latest = observed.latestRevisionID ?? undefined;
  const commit = observed.sourceRevisionConfig?.repoCommitSHA ?? undefined;
  const shown = observedConfig(observed);
  // Lists may hide a number for ever, and a redeploy must not cost a correction of it.
  const ours = selection.redeploy ? [] : lacksOurs(present, body);
  return {
    bodyPart: bodyPartOf(present, paths),
    paths,
    leftOut: [...new Set([...atStake(present, body), ...ours])].slice(0, PATHS_KEPT),
    ...defined({
      latestRevisionID: latest,
      baseRevisionID: newRevisionOf(present) ?? laggedBehind(present) ?? latest,
      baseCommitSHA: commit,
      observed: shown,
    }),
    revisions: revisionsAfter(resource, observed, isNewestOurs(present), nowMs),
    binding: bindingOf(resource, observed, settings, nowMs),
    budget: spend(budgetOf(resource), spendingOf(present, selection, body), nowMs),
    ...appliedBefore(present, paths),
    ...provenBefore(present),
  };
}

/**
 * Returns a new revision in a list that the answer to the previous write outranks: another client made it since, or
 * just before that write. The write being announced did not make it.
 */
export function newRevisionOf({ observation, observed, resource }: Present): string | undefined {
  const listed =
    observation.kind === 'present' ? observation.outranked?.deployment.latestRevisionID : undefined;
  const isKnown = listed === observed.latestRevisionID || wasSeen(listed, resource);
  return isKnown ? undefined : (listed ?? undefined);
}

/**
 * Returns a revision that the read before this one showed, if this one is from a replica that lags: it shows an older
 * revision. The write being announced did not make the newer one.
 */
function laggedBehind({ observed, resource, earlier }: Present): string | undefined {
  const newer = earlier?.latestRevisionID ?? undefined;
  return wasSeen(observed.latestRevisionID, resource) && !wasSeen(newer, resource) ? newer : undefined;
}

function wasSeen(revision: string | null | undefined, { status }: DeploymentResource): boolean {
  return status?.revisions?.some(({ id }) => id === revision) === true;
}

/**
 * Returns the applied state for the announcement. It contains the verdict of the look on the previous write, whose
 * announcement this one replaces, and the names of secrets that are sent for the first time: as soon as they may exist
 * at the service they are ours, so that they can be removed.
 */
function appliedBefore(present: Present, paths: readonly string[]): Pick<Announcement, 'applied'> {
  const { resource, observation, desired, observed, assessment } = present;
  const { kind } = assessment.evidence;
  const { secrets } = assessment.applied;
  const shown = new Set(observed.secrets?.map(({ name }) => name));
  const sent = paths.includes(SECRETS_PATH) ? [...assessment.secrets.digests.keys()] : [];
  const names = sent.filter((name) => !shown.has(name) && !secrets.has(name));
  if (kind !== 'proven' && kind !== 'disproven' && names.length === 0) return {};
  const generation = resource.metadata.generation ?? 0;
  const listed = observation.kind === 'present' && observation.via === 'list';
  const facts = { ...present, listed, generation, announced: names };
  return {
    applied: storedApplied(resource.status?.applied, assessment, desired, { ...facts, concluded: false }),
  };
}

/** Returns the record of the previous write, whose announcement this one replaces, if this look proves it. */
function provenBefore({ resource, observed, assessment }: Present): Pick<Announcement, 'lastPatch'> {
  const { pendingWrite } = resource.status ?? {};
  if (pendingWrite === undefined || assessment.evidence.kind !== 'proven') return {};
  return { lastPatch: patchRecord(pendingWrite, 'Verified', observed) };
}

/** Returns the part of a digest for the values of these paths. */
export function bodyPartOf({ assessment, digests }: Present, paths: readonly string[]): string {
  return bodyPart(paths, assessment.judgements, assessment.secrets, digests);
}

function spendingOf(present: Present, selection: Selection, body: PatchBody): Spending {
  const { assessment, digests, resource } = present;
  const unproven = unprovenPaths(present);
  const fields = selection.send.map(({ desired: { field }, verdict, digests: { desired: digest } }) => ({
    ...{ path: field.path, digest, again: unproven.includes(field.path) || verdict === 'ignored' },
  }));
  const digest = secretsDigest(assessment.secrets, digests);
  const secrets = { path: SECRETS_PATH, digest, again: unproven.includes(SECRETS_PATH) };
  const drifted = selection.send
    .filter(({ verdict, desired }) => verdict === 'drift' && !assessment.lost.includes(desired.field.path))
    .map((j) => j.desired.field.path);
  const secretsDrifted = selection.sendSecrets && assessment.secrets.verdict === 'drift';
  return {
    makesRevision: mayMakeRevision(body),
    sent: selection.sendSecrets ? [...fields, secrets] : fields,
    drift: secretsDrifted ? [...drifted, SECRETS_PATH] : drifted,
    perHour: revisionsPerHour(resource),
    newGeneration: newGenerationOf(resource),
  };
}

/** Returns the paths for which an announced write without a result asked, if it asked for the values wanted now. */
function unprovenPaths(present: Present): readonly string[] {
  const { paths = [], bodyDigest } = present.resource.status?.pendingWrite ?? {};
  return bodyDigest === requestDigest(bodyPartOf(present, paths), present.digests) ? paths : [];
}

/** Returns the managed paths that a write announces. */
export function sentPaths({ send, sendSecrets }: Selection): readonly string[] {
  const paths = send.map((j) => j.desired.field.path);
  return (sendSecrets ? [...paths, SECRETS_PATH] : paths).toSorted();
}

/** Returns the cause for which a selection is sent. */
export function causeOf({ resource, assessment }: Present, selection: Selection): Cause {
  if (selection.redeploy) return 'redeploy';
  const verdicts = new Set(selection.send.map(({ verdict }) => verdict));
  if (verdicts.has('first') || verdicts.has('change')) return 'spec';
  if (selection.sendSecrets && assessment.secrets.verdict !== 'drift') {
    return newGenerationOf(resource) === undefined ? 'secret' : 'spec';
  }
  if (selection.repair) return 'repair';
  return verdicts.has('ignored') && !verdicts.has('drift') ? 'repair' : 'drift';
}
