import { annotation } from '../api/deployment.ts';
import { mayMakeRevision, roomAgainInMs, spend, type Spending } from './budget.ts';
import type { Cause } from './change.ts';
import { DEFAULTS } from './connection.ts';
import { bodyDigest, secretsDigest } from './evidence.ts';
import { makesRevision, SECRETS_PATH } from './fields.ts';
import { isEmptyBody, patchBody } from './patch-body.ts';
import type { Announcement, Plan } from './plan-kinds.ts';
import { heldAfterRefusal } from './refusal.ts';
import type { Present } from './situation.ts';
import { budgetOf, isRedeployDue, type Selection, select } from './selection.ts';

/** What differs, and whether all of it may go now. First match wins; undefined when nothing differs. */
export function proposePatch(present: Present): Plan | undefined {
  const selection = select(present);
  if (selection.changes.length === 0 && selection.withheld.length === 0 && !selection.redeploy)
    return undefined;
  return (
    observeOnly(present, selection) ??
    nothingToSend(selection) ??
    waitForRollout(present, selection) ??
    outOfBudget(present, selection) ??
    waitForApproval(present, selection) ??
    refusedBefore(present, selection) ??
    patch(present, selection)
  );
}

function observeOnly({ resource }: Present, { changes }: Selection): Plan | undefined {
  if (resource.spec.managementPolicy !== 'Observe' || changes.length === 0) return undefined;
  const message = `${count(changes.length)} would be made if spec.managementPolicy were Manage`;
  return { kind: 'nothing', reason: 'Differs', message, changes, withheld: [] };
}

function nothingToSend(selection: Selection): Plan | undefined {
  if (selection.send.length > 0 || selection.sendSecrets || selection.redeploy) return undefined;
  const { withheld, changes } = selection;
  const first = withheld[0];
  if (first !== undefined) {
    return { kind: 'nothing', reason: first.reason, message: first.message, changes, withheld };
  }
  if (selection.reported) {
    const message = `${count(changes.length)} behind our back, reported and not corrected (spec.driftPolicy)`;
    return { kind: 'nothing', reason: 'DriftReported', message, changes, withheld };
  }
  const message = 'the service has not taken over what was sent; looking again';
  return { kind: 'wait', reason: 'Sent', message, againInMs: DEFAULTS.pollRolloutMs, changes };
}

/** A correction or repair waits until the newest revision is active or overdue; a person's edit does not (H53). */
function waitForRollout(present: Present, selection: Selection): Plan | undefined {
  const { rollout } = present.assessment;
  const database = present.observed.serviceStatus === 'AWAITING_DATABASE' && needsRevision(selection);
  if (!database && (selection.asked || !rollout.rolling)) return undefined;
  const message = database
    ? 'the service prepares the database; nothing that makes a revision is sent'
    : 'a difference will be corrected when the rollout has ended';
  return {
    kind: 'wait',
    reason: 'Pending',
    message,
    againInMs: present.settings.poll.rolloutMs,
    changes: selection.changes,
  };
}

function outOfBudget(present: Present, selection: Selection): Plan | undefined {
  const { resource, assessment, nowMs } = present;
  if (!needsRevision(selection)) return undefined;
  const perHour = resource.spec.rollout?.maxRevisionsPerHour ?? DEFAULTS.revisionsPerHour;
  const newGeneration = assessment.applied.generation !== resource.metadata.generation;
  const budget = resource.status?.budget;
  if (mayMakeRevision(budget, { perHour, newGeneration, nowMs })) return undefined;
  const message = `${perHour} writes that may make a revision were sent within the last hour; the next is due in ${Math.ceil(roomAgainInMs(budget, nowMs) / 60_000)} min`;
  return {
    kind: 'blocked',
    reason: 'RevisionBudgetExhausted',
    message,
    againInMs: roomAgainInMs(budget, nowMs),
    changes: selection.changes,
  };
}

function waitForApproval(present: Present, selection: Selection): Plan | undefined {
  if (present.resource.spec.approval !== 'Manual') return undefined;
  const hash = planHash(present, selection);
  if (annotation(present.resource, 'approve') === hash) return undefined;
  const message = `${count(selection.changes.length)} waiting; approve with annotation dms-operator.dev/approve=${hash}`;
  return { kind: 'wait', reason: 'AwaitingApproval', message, changes: selection.changes, hash };
}

/** The same request was refused for good; a redeploy is a request of its own. */
function refusedBefore(present: Present, selection: Selection): Plan | undefined {
  if (selection.redeploy) return undefined;
  const { changes } = selection;
  return heldAfterRefusal(present, { bodyDigest: digestOf(present, sentPaths(selection)), changes });
}

function patch(present: Present, selection: Selection): Plan | undefined {
  const { desired, observed } = present;
  const paths = sentPaths(selection);
  const body = patchBody(desired, observed, {
    paths: new Set(paths),
    withheld: new Set(selection.withheld.map(({ path }) => path)),
    redeploy: selection.redeploy,
  });
  if (isEmptyBody(body)) return undefined;
  return {
    kind: 'patch',
    id: observed.id,
    body,
    cause: causeOf(present, selection),
    changes: selection.changes,
    withheld: selection.withheld,
    announcement: announcementOf(present, selection, paths),
  };
}

function announcementOf(present: Present, selection: Selection, paths: readonly string[]): Announcement {
  const { observed, assessment, resource, nowMs } = present;
  const latest = observed.latestRevisionID ?? undefined;
  const commit = observed.sourceRevisionConfig?.repoCommitSHA ?? undefined;
  return {
    bodyDigest: digestOf(present, paths),
    paths,
    ...(latest === undefined ? {} : { baseRevisionID: latest }),
    ...(commit === undefined ? {} : { baseCommitSHA: commit }),
    budget: spend(budgetOf(resource, assessment), spendingOf(present, selection), nowMs),
  };
}

function digestOf({ assessment, digests }: Present, paths: readonly string[]): string {
  return bodyDigest(paths, assessment.judgements, assessment.secrets, digests);
}

function spendingOf({ assessment, digests }: Present, selection: Selection): Spending {
  const fields = selection.send.map((j) => ({ path: j.desired.field.path, digest: j.digests.desired }));
  const secrets = { path: SECRETS_PATH, digest: secretsDigest(assessment.secrets, digests) };
  const drifted = selection.send
    .filter(({ verdict }) => verdict === 'drift')
    .map((j) => j.desired.field.path);
  const secretsDrifted = selection.sendSecrets && assessment.secrets.verdict === 'drift';
  return {
    makesRevision: needsRevision(selection),
    sent: selection.sendSecrets ? [...fields, secrets] : fields,
    drift: secretsDrifted ? [...drifted, SECRETS_PATH] : drifted,
  };
}

function sentPaths({ send, sendSecrets }: Selection): readonly string[] {
  const paths = send.map((j) => j.desired.field.path);
  return (sendSecrets ? [...paths, SECRETS_PATH] : paths).toSorted();
}

function needsRevision({ send, sendSecrets, redeploy }: Selection): boolean {
  return sendSecrets || redeploy || send.some(({ desired }) => makesRevision(desired.field));
}

function causeOf({ resource, assessment }: Present, selection: Selection): Cause {
  if (isRedeployDue(resource)) return 'redeploy';
  const verdicts = new Set(selection.send.map(({ verdict }) => verdict));
  if (verdicts.has('first') || verdicts.has('change')) return 'spec';
  if (selection.sendSecrets && assessment.secrets.verdict !== 'drift') {
    return assessment.applied.generation === resource.metadata.generation ? 'secret' : 'spec';
  }
  return verdicts.has('ignored') && !verdicts.has('drift') ? 'repair' : 'drift';
}

/** Valid once: it covers the time of the last write, so that the same drift needs a new approval (H58). */
function planHash({ resource, observed, assessment, digests }: Present, selection: Selection): string {
  const fields = selection.send.map((j) => [j.desired.field.path, j.digests.shown ?? '', j.digests.desired]);
  const secrets = selection.sendSecrets
    ? [[SECRETS_PATH, '', secretsDigest(assessment.secrets, digests)]]
    : [];
  const about = [
    resource.metadata.uid ?? '',
    observed.id,
    resource.metadata.generation ?? 0,
    annotation(resource, 'redeploy') ?? '',
    resource.status?.lastPatch?.time ?? '',
    [...fields, ...secrets].toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  ];
  return digests.hex(JSON.stringify(about)).slice(0, 20);
}

function count(changes: number): string {
  return changes === 1 ? '1 change' : `${changes} changes`;
}
