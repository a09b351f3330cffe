import { type DeploymentResource, reportsDrift } from '../../api/deployment.ts';
import type { SyncedReason } from '../../api/condition.ts';
import { createdByUs } from '../recorded/created-by-us.ts';
import { acceptedPatch } from '../recorded/accepted-patch.ts';
import type { Assessment } from '../compare/assess.ts';
import { verdictDueMs, windowMs } from '../compare/assess.ts';
import { type Budget, budgetOf, mayCorrectDrift, maySendAgain, wasRefused } from '../plan/budget.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { type Change, changeOf, secretsChange } from '../compare/change.ts';
import { isHeld, type Judgement } from '../compare/judge-fields.ts';
import { secretsDigest } from '../compare/evidence.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { isSpecShown } from '../external/shown.ts';
import type { Learned } from '../effects/learned.ts';
import type { Digests } from '../recorded/digests.ts';
import type { SecretsJudgement } from '../compare/judge-secrets.ts';
import type { Observation, ObservedDeployment } from '../external/observation.ts';
import type { Withheld } from '../plan/plan.ts';
import { areNaming, type Written } from '../effects/effect-of.ts';
import { isRedeployDue } from '../compare/redeploy.ts';
import { refusedAs } from '../plan/refused-as.ts';
import { isOfLoss } from './default-of-a-loss.ts';
import { differedBefore, wasReportedBefore } from './differed-before.ts';
import { isContradicted, isGoneLater, isOtherLater, type Unsettled, unsettledIn } from './unsettled.ts';

/** The differences, divided into those to send, to report, and to hold back. */
export interface Selection extends Unsettled {
  readonly send: readonly Judgement[];
  readonly sendSecrets: boolean;
  readonly redeploy: boolean;
  /** True if something that our last write emptied must be restored. */
  readonly repair: boolean;
  readonly withheld: readonly Withheld[];
  /** The paths that no request could carry: those withheld, and reported ones that are not shown. */
  readonly unsendable: readonly string[];
  /** Every difference, whether it is sent or not. */
  readonly changes: readonly Change[];
  /** True for an edit, a rotation or a loss, which need not wait for a rollout; a redeploy has to (N47). */
  readonly asked: boolean;
  /** The paths with drift that the policy only reports. */
  readonly reported: readonly string[];
  /** True if something can only be judged later, since a read may still show the old state. */
  readonly later: boolean;
}

/** The facts besides the assessment. */
export interface SelectionFacts {
  readonly resource: DeploymentResource;
  readonly assessment: Assessment;
  readonly settings: ConnectionSettings;
  readonly digests: Digests;
  readonly observation: Observation;
  readonly resourceSpecsListed: boolean;
  readonly learned: Learned;
  /** See `Situation`. */
  readonly listedPaths: ReadonlySet<string>;
  readonly nowMs: number;
  /** See `Situation`. */
  readonly foundMs?: number | undefined;
  /** See `Situation`. */
  readonly written?: Written | undefined;
  /** See `Situation`. */
  readonly inherited: boolean;
}

type Fate = 'send' | 'report' | 'later' | 'none' | Withheld;

/** Decides about each field by its verdict, the drift policy and the guards. */
export function select(facts: SelectionFacts): Selection {
  const { resource, assessment } = facts;
  const budget = budgetOf(resource);
  const fates = assessment.judgements.map(
    (judgement) => [judgement, fateOf(judgement, budget, facts)] as const,
  );
  const secretsFate = fateOfSecrets(budget, facts);
  const differing = fates.filter(([judgement, fate]) => fate !== 'none' && !isHeld(judgement));
  const send = fates.filter(([, fate]) => fate === 'send').map(([judgement]) => judgement);
  const sendSecrets = secretsFate === 'send';
  const isDriftLater = secretsFate === 'later' && assessment.secrets.withheld === undefined;
  const withheld = [...fates.map(([, fate]) => fate), secretsFate].filter((fate) => typeof fate === 'object');
  const reported = [
    ...fates.filter(([, fate]) => fate === 'report').map(([{ desired }]) => desired.field.path),
    ...(secretsFate === 'report' ? [SECRETS_PATH] : []),
  ];
  // A request carries a reported field as the service shows it.
  const notShown = fates.filter(([{ shown }, fate]) => fate === 'report' && shown === undefined);
  const unsendable = [
    ...withheld.map(({ path }) => path),
    ...notShown.map(([{ desired }]) => desired.field.path),
  ];
  const redeploy =
    facts.observation.kind === 'present' &&
    isRedeployDue(resource, assessment, { observed: facts.observation.deployment, unsendable });
  return {
    send,
    sendSecrets,
    redeploy,
    repair: assessment.lost.length > 0,
    withheld,
    unsendable,
    changes: [
      ...differing.map(([judgement, fate]) =>
        fate === 'later' && isAsBefore(judgement) ? withoutDrift(changeOf(judgement)) : changeOf(judgement),
      ),
      ...(secretsFate === 'none' || assessment.secrets.names.length === 0
        ? []
        : [
            secretsFate === 'later'
              ? withoutDrift(secretsChange(assessment.secrets))
              : secretsChange(assessment.secrets),
          ]),
    ],
    asked:
      assessment.lost.length > 0 ||
      send.some(({ verdict }) => verdict === 'first' || verdict === 'change') ||
      (sendSecrets && assessment.secrets.verdict !== 'drift'),
    reported,
    // Names that may stay say nothing about the age of the other values.
    later: isDriftLater || fates.some(([, fate]) => fate === 'later') || isUnconfirmed(facts),
    ...unsettledIn(
      fates.flatMap(([judgement, fate]) => (fate === 'later' ? [judgement] : [])),
      facts,
    ),
  };
}

/**
 * True while a declared value may be gone: our last write left it out, its answer does not show it, and a list may still
 * show the state before that write.
 */
function isUnconfirmed(facts: SelectionFacts): boolean {
  const { resource, assessment } = facts;
  const leftOut = resource.status?.leftOut ?? [];
  if (leftOut.length === 0 || !mayBeStale(facts)) return false;
  const fields = assessment.judgements.filter(({ desired }) => !isEmpty(desired.value));
  const declared = [
    ...fields.map(({ desired }) => desired.field.path),
    ...[...assessment.secrets.digests.keys()].map((name) => `${SECRETS_PATH}.${name}`),
  ];
  return declared.some((path) => areNaming(leftOut, path));
}

/**
 * True if the value was also shown before our last write. Until a list has shown our write, a lagging list may show
 * this value.
 */
function isAsBefore({ digests: { was, shown = '' } }: Judgement): boolean {
  return was === shown;
}

/** Returns a difference without the claim that it is drift. */
function withoutDrift({ drift: _drift, ...change }: Change): Change {
  return change;
}

function fateOf(judgement: Judgement, budget: Budget | undefined, facts: SelectionFacts): Fate {
  const { path } = judgement.desired.field;
  // A value that our own write emptied is restored, whatever the policy for changes by others: as that write found it.
  if (facts.assessment.lost.includes(path))
    return wasReportedBefore(judgement, facts) ? 'report' : sendOrGiveUp(judgement, budget, facts);
  switch (judgement.verdict) {
    case 'in-sync':
    case 'adopt':
    case 'settling':
      return 'none';
    case 'drift': {
      // A field is cleared once; a client that fills it again then owns it.
      if (judgement.desired.cleared) return mayBeStale(facts) && isAsBefore(judgement) ? 'later' : 'none';
      if (mayBeStale(facts)) return 'later';
      // Our own write emptied the block around it, so a default that the service shows there is no change by others.
      const isOurs = isOfLoss(judgement, facts, facts.assessment.lost) && !differedBefore(judgement, facts);
      if (isOurs) return sendOrGiveUp(judgement, budget, facts);
      // `Report` applies to deviations after the first write; it does not hold back the first write.
      if (reportsDrift(facts.resource)) return 'report';
      if (!mayCorrectDrift(budget, path, facts.nowMs)) return suspended(path);
      return sendOrGiveUp(judgement, budget, facts);
    }
    case 'ignored': {
      if (mayBeStale(facts)) return 'later';
      // An answer to a later write showed another value, which somebody may have set.
      const isTheirs =
        isContradicted(judgement, facts) || isGoneLater(judgement) || isOtherLater(judgement, facts);
      if (isTheirs && reportsDrift(facts.resource)) return 'report';
      // The specification does not guarantee that these fields can be changed or emptied (2.4, 4.4), so they are sent
      // only once.
      return keptByTheService(judgement, facts) ?? sendOrGiveUp(judgement, budget, facts);
    }
    case 'first':
    case 'change':
      // The list may be older than our last write, which set another value.
      if (isHeld(judgement)) return 'later';
      if (overwritesUnseen(judgement, facts)) return unseen(path);
      return mayBeEmptied(judgement, facts) ? 'later' : sendOrGiveUp(judgement, budget, facts);
  }
}

/**
 * True for a field that the spec empties and that our last write left out, while nothing tells whether that write emptied
 * it already: the answer, which does not show the field, replaces the list; or the list may be older than the write, since
 * no list has shown that yet.
 */
function mayBeEmptied({ desired }: Judgement, facts: SelectionFacts): boolean {
  const { resource, observation, written, inherited } = facts;
  if (!desired.cleared || observation.kind !== 'present') return false;
  if (!areNaming(resource.status?.leftOut ?? [], desired.field.path)) return false;
  const isUnseen = written === undefined ? inherited : written.effect === undefined;
  return observation.via === 'answer' || (isUnseen && mayBeStale(facts));
}

/**
 * True for a hidden key of a resource spec: the spec is sent whole, and would overwrite a value that no look has shown
 * (N4, N31). A missing key counts as empty if we created the deployment, or if the service shows other keys, unless an
 * answer showed a resource spec that lists hide. If we sent the key before without seeing it, it has the value that we
 * sent.
 */
function overwritesUnseen({ desired: { field } }: Judgement, facts: SelectionFacts): boolean {
  const { resource, assessment, observation, settings, resourceSpecsListed, learned } = facts;
  if (field.block !== 'resourceSpec' || settings.patchBodies !== 'Auto') return false;
  if (observation.kind !== 'present') return false;
  const { deployment } = observation;
  const isHidden = learned.resourceSpecs?.verdict === 'Hidden' && !isSpecShown(deployment);
  if (!isHidden && (resourceSpecsListed || mayBeEmpty(deployment))) return false;
  const sentUnseen = assessment.judgements.some(
    ({ desired, digests: { applied, baseline } }) =>
      desired.field.block === 'resourceSpec' && applied !== undefined && baseline === undefined,
  );
  return !createdByUs(resource.status, deployment.id) && !sentUnseen;
}

/**
 * True if the resource spec is shown, even as null, or is missing from a source_config without any key, as if nothing
 * were set.
 */
function mayBeEmpty({ sourceConfig }: ObservedDeployment): boolean {
  if (sourceConfig === undefined) return false;
  return sourceConfig.resourceSpec !== undefined || Object.keys(sourceConfig.fields).length === 0;
}

function unseen(path: string): Withheld {
  const message = `${path} is not sent: the service shows no resource_spec, and sending a part of it could lose the rest; set patch.bodies on the connection`;
  return { path, reason: 'SemanticsMismatch', message };
}

/** Reasons for holding secrets back because those of others might be lost. */
export const GUARDS_OF_OTHERS: ReadonlySet<SyncedReason> = new Set([
  'UnmanagedSecretsPresent',
  'SecretVisibilityUnproven',
]);

function fateOfSecrets(budget: Budget | undefined, facts: SelectionFacts): Fate {
  const { secrets, lost } = facts.assessment;
  if (secrets.withheld !== undefined) {
    // If our own write emptied the list, our secrets are restored, and no secrets of others can be lost.
    const guardsOthers = GUARDS_OF_OTHERS.has(secrets.withheld.reason) && secrets.withheld.unasked !== true;
    if (guardsOthers && lost.includes(SECRETS_PATH)) return sendSecretsOrGiveUp(budget, facts);
    // A list from before our last write still shows the secrets that the write left out.
    const early = secrets.withheld.reason === 'FieldNotClearable' && mayBeStale(facts);
    const { reason, message } = secrets.withheld;
    return early ? 'later' : { path: SECRETS_PATH, reason, message };
  }
  switch (secrets.verdict) {
    case 'unmanaged':
    case 'in-sync':
    case 'withheld':
      return 'none';
    case 'drift':
      if (mayBeStale(facts)) return 'later';
      // If the service lists a name twice, the service itself duplicated it.
      if (reportsDrift(facts.resource) && !isAdded(secrets)) return 'report';
      if (!mayCorrectDrift(budget, SECRETS_PATH, facts.nowMs)) return suspended(SECRETS_PATH);
      return sendSecretsOrGiveUp(budget, facts);
    case 'first':
    case 'change':
      return sendSecretsOrGiveUp(budget, facts);
  }
}

function sendSecretsOrGiveUp(budget: Budget | undefined, { assessment, digests }: SelectionFacts): Fate {
  const { secrets } = assessment;
  const { doubled } = secrets;
  if (!isAdded(secrets) && maySendAgain(budget, SECRETS_PATH, secretsDigest(secrets, digests))) return 'send';
  const names = doubled.slice(0, 10).join(', ');
  const message =
    names === ''
      ? 'the same secrets were sent twice, and nothing shows that they arrived; they are not sent again'
      : `the service lists ${names} more than once: it adds sent secrets to its list; remove the older ones at the service`;
  return { path: SECRETS_PATH, reason: 'NotConverging', message };
}

/**
 * True if the drift consists only of doubled names. Only a service that appends sent secrets shows a name twice, and
 * another list would make it three times.
 */
function isAdded({ verdict, names, doubled }: SecretsJudgement): boolean {
  return verdict === 'drift' && names.every((name) => doubled.includes(name));
}

/**
 * Returns the time until which a read may show the state before our last write (N30), even an announced one that this
 * read proves. Ignores a refused write, which changed nothing.
 */
function windowEndMs({ resource, settings, foundMs }: SelectionFacts): number {
  const last = acceptedPatch(resource.status);
  const acceptedMs = last === undefined ? 0 : Date.parse(last.time) + windowMs(settings);
  // Under `Report` nothing is corrected, and a body repeats only reported values as they are shown.
  return reportsDrift(resource)
    ? acceptedMs
    : Math.max(acceptedMs, verdictDueMs(resource, settings, foundMs));
}

/**
 * True if apparent drift, or an apparently ignored value, comes from before the end of the window: from a list that may
 * lag, also after a restart, which forgets the answer; or from the answer, which a list may have overtaken.
 */
function mayBeStale(facts: SelectionFacts): boolean {
  return facts.observation.beganMs < windowEndMs(facts);
}

function suspended(path: string): Withheld {
  const message = `${path} was corrected three times within a day and changed again; someone else writes it too, or the service does not keep it`;
  return { path, reason: 'DriftCorrectionSuspended', message };
}

/** Returns why a field is withheld: it was sent once, and the service may refuse to change or empty it. */
function keptByTheService(
  { desired, digests }: Judgement,
  { resource }: SelectionFacts,
): Withheld | undefined {
  const { path, mayBeImmutable } = desired.field;
  if (isEmpty(desired.value)) {
    const message = `${path} should be emptied, but the service keeps its value`;
    return { path, reason: 'FieldNotClearable', message };
  }
  // Lists show neither our value nor the one that was there before it: somebody may have removed ours.
  const isGone = digests.shown === undefined && digests.baseline === undefined && !isEmpty(digests.was);
  if (!mayBeImmutable || (isGone && !reportsDrift(resource))) return undefined;
  const message = `${path} was sent, but the service keeps its own value`;
  return { path, reason: 'ImmutableFieldChanged', message };
}

function sendOrGiveUp(
  { desired, digests }: Judgement,
  budget: Budget | undefined,
  facts: SelectionFacts,
): Fate {
  const { path } = desired.field;
  if (desired.field.mayBeImmutable && wasRefused(budget, path, refusedAs(path, facts))) {
    const message = `the service refused to change ${path} to this value`;
    return { path, reason: 'ImmutableFieldChanged', message };
  }
  if (maySendAgain(budget, path, digests.desired)) return 'send';
  const message = `${path} was sent twice, but the service does not show it; it is not sent again`;
  return { path, reason: 'NotConverging', message };
}
