import type { DeploymentResource } from '../api/deployment.ts';
import type { Digests } from '../model/baseline.ts';
import { connectionText } from '../model/connection.ts';
import { eventsFor } from '../model/events.ts';
import type { Outcome } from '../model/outcome.ts';
import { specWarnings } from '../model/spec-warnings.ts';
import { nextStatus } from '../model/status.ts';
import type { Clock } from '../ports/clock.ts';
import type { DesiredStore } from '../ports/desired-store.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Decision } from './decide.ts';

/** What `record` needs from outside. */
export interface RecordParts {
  readonly store: DesiredStore;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly digests: Digests;
}

/** A pass as it is recorded. */
export interface PassToRecord {
  /** The resource that the decision was made on. */
  readonly resource: DeploymentResource;
  /** The same with the announcement of this very pass, where it made one. */
  readonly announced: DeploymentResource | undefined;
  readonly decision: Decision | undefined;
  readonly outcome: Outcome;
}

/**
 * Writes what happened: status, then events, log and metrics. Nothing is written when nothing changed. After an
 * announcement of its own the write is repeated until it lands; without one a conflict answers 'stale' and drops it:
 * somebody else wrote meanwhile, whose announcement must not be taken for ours, and the next pass computes it again.
 */
export async function record(pass: PassToRecord, parts: RecordParts): Promise<'done' | 'stale'> {
  const { resource, announced, decision, outcome } = pass;
  const basis = announced ?? resource;
  const warnings = specWarnings(resource, decision?.situation.desired.secrets);
  const after = nextStatus({
    resource,
    current: basis.status ?? {},
    situation: decision?.situation,
    decided: decision,
    outcome,
    warningsTold: warnings?.length === 0 ? '' : warnings && parts.digests.digest(warnings.join('\n')),
    nowMs: parts.clock.now(),
  });
  const saved = await parts.store.saveStatus(basis, after, { mustLand: announced !== undefined });
  if (announced !== undefined) reportWrite(resource, decision, outcome, parts);
  if (saved === 'stale') return 'stale';
  const before = resource.status ?? {};
  for (const event of eventsFor({ resource, before, after, plan: decision?.plan, outcome, warnings }))
    parts.events.record(saved, event);
  return 'done';
}

/** Every write is one log line and one count. */
function reportWrite(
  resource: DeploymentResource,
  decision: Decision | undefined,
  outcome: Outcome,
  { logger, metrics }: RecordParts,
): void {
  if (decision === undefined) return;
  const { plan, service } = decision;
  const cause = plan.kind === 'patch' ? plan.cause : plan.kind;
  const shown =
    outcome.kind === 'applied' && outcome.answer.kind === 'shown' ? outcome.answer.deployment : undefined;
  metrics.patched(connectionText(service.settings.name), cause, outcome.kind);
  if (cause === 'drift') metrics.drifted(connectionText(service.settings.name), 'corrected');
  logger.info('wrote to the service', {
    resource: `${resource.metadata.namespace ?? ''}/${resource.metadata.name}`,
    generation: resource.metadata.generation,
    cause,
    outcome: outcome.kind,
    ...(plan.kind === 'patch' ? { id: plan.id, paths: plan.announcement.paths } : {}),
    ...(plan.kind === 'patch' ? { revisionBefore: plan.announcement.baseRevisionID } : {}),
    ...(shown === undefined ? {} : { revisionAfter: shown.latestRevisionID }),
    ...(outcome.kind === 'failed' ? { message: outcome.message } : {}),
  });
}
