import { defined } from '../../base/defined.ts';
import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { requestIDOf } from '../../model/status/announced-status.ts';
import { declaredName } from '../../model/desired/desired-deployment.ts';
import { type Digests, digestsFor, type KeyedHashes } from '../../model/recorded/digests.ts';
import { eventsFor } from '../../model/outcome/events-for.ts';
import type { Outcome } from '../../model/outcome/outcome.ts';
import { specWarnings } from '../../model/outcome/spec-warnings.ts';
import { redactedOutcome, redactedStatus } from '../../model/outcome/pass-redaction.ts';
import { nextStatus } from '../../model/status/next-status.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Decision } from './decide.ts';
import { type Measurements, writeCauseOf } from './measurements.ts';

/** The parts of `record`. */
export interface RecordParts {
  readonly store: DesiredStore;
  readonly events: EventRecorder;
  readonly measurements: Measurements;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly digests: KeyedHashes;
}

/** The result of a pass. */
export interface PassToRecord {
  /** The resource on which the decision was made. */
  readonly resource: DeploymentResource;
  /** The resource with the announcement of this pass, if it made one. */
  readonly announced: DeploymentResource | undefined;
  readonly decision: Decision | undefined;
  readonly outcome: Outcome;
}

/**
 * Writes the results of a pass: status, then events, log and metrics. Writes nothing if nothing changed. After its own
 * announcement it repeats the write until it succeeds. Without one, a conflict returns 'stale' and drops the results:
 * somebody else wrote meanwhile. Their announcement must not count as ours, and the next pass computes the results
 * again.
 */
export async function record(pass: PassToRecord, parts: RecordParts): Promise<'done' | 'stale'> {
  const { resource, announced, decision } = pass;
  const redact = decision?.redact ?? ((text: string) => text);
  const outcome = redactedOutcome(pass.outcome, redact);
  const basis = announced ?? resource;
  const warnings = specWarnings(resource, decision?.situation.desired.secrets);
  const current = basis.status ?? {};
  const next = nextStatus({
    resource,
    current,
    situation: decision?.situation,
    decided: decision,
    outcome,
    warningsTold: warnings && warningsDigest(warnings, digestsFor(resource, parts.digests)),
    nowMs: parts.clock.now(),
  });
  const after = redactedStatus(current, next, {
    redact,
    declaredName: declaredName(resource),
    secretsMissing: decision?.secrets.kind === 'missing',
  });
  const saved = await parts.store.saveStatus(basis, after, { mustLand: announced !== undefined });
  if (announced !== undefined && decision !== undefined) {
    reportWrite({ ...pass, outcome }, parts);
    parts.measurements.wrote(decision, outcome, parts.clock.now());
  }
  if (saved === 'stale') return 'stale';
  const before = resource.status ?? {};
  reportDecision(pass, after, parts.logger);
  const events = eventsFor({ resource, before, after, plan: decision?.plan, outcome, warnings });
  for (const event of events) parts.events.record(saved, event);
  parts.measurements.recorded({ resource, after, decision, events, nowMs: parts.clock.now() });
  return 'done';
}

function warningsDigest(warnings: readonly string[], digests: Digests): string {
  return warnings.length === 0 ? '' : digests.bind('warnings', '', digests.part(warnings.join('\n')));
}

/** Logs every new decision in one line; logs nothing for resources at rest. */
function reportDecision({ resource, decision }: PassToRecord, after: DeploymentStatus, logger: Logger): void {
  const shown = shownBy(after);
  if (shown === shownBy(resource.status ?? {})) return;
  const { namespace = '', name, generation } = resource.metadata;
  const isStalled = after.conditions?.some(({ type, status }) => type === 'Stalled' && status === 'True');
  logger[isStalled === true ? 'warn' : 'info']('decided', {
    resource: `${namespace}/${name}`,
    generation,
    plan: decision?.plan.kind ?? 'none',
    shown,
    message: after.conditions?.find(({ type }) => type === 'Synced')?.message,
  });
}

/** Summarizes a status, for example `Ready=True/Active Synced=False/Rejected`. */
function shownBy({ conditions = [] }: DeploymentStatus): string {
  const both = conditions.filter(({ type }) => type === 'Synced' || type === 'Ready');
  return both.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join(' ');
}

/** Logs every write in one line: the request, its cause, and its outcome. */
function reportWrite({ resource, announced, decision, outcome }: PassToRecord, parts: RecordParts): void {
  if (decision === undefined || announced === undefined) return;
  const { plan } = decision;
  const shown =
    outcome.kind === 'applied' && outcome.answer.kind === 'shown' ? outcome.answer.deployment : undefined;
  parts.logger[outcome.kind === 'failed' ? 'warn' : 'info']('wrote to the service', {
    requestID: requestIDOf(announced, parts.digests),
    resource: `${resource.metadata.namespace ?? ''}/${resource.metadata.name}`,
    generation: resource.metadata.generation,
    cause: writeCauseOf(plan),
    outcome: outcome.kind,
    ...(plan.kind === 'patch' ? { id: plan.id, paths: plan.announcement.paths } : {}),
    ...(plan.kind === 'patch' ? { revisionBefore: plan.announcement.baseRevisionID } : {}),
    ...defined({ revisionAfter: shown?.latestRevisionID }),
    ...(outcome.kind === 'failed' ? { message: outcome.message } : {}),
  });
}
