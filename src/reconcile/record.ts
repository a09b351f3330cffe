import type { DeploymentResource } from '../api/deployment.ts';
import { keyOf } from '../api/metadata.ts';
import { connectionText } from '../model/connection.ts';
import { eventsFor } from '../model/events.ts';
import type { Outcome } from '../model/outcome.ts';
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
}

/**
 * Writes what happened: status, then events, log and metrics. Nothing is written when nothing changed. After an
 * announcement the write is repeated until it lands; without one a conflict drops it, since the next pass computes it
 * again.
 */
export async function record(
  resource: DeploymentResource,
  decision: Decision | undefined,
  outcome: Outcome,
  parts: RecordParts,
): Promise<void> {
  const latest = await parts.store.get(keyOf(resource));
  if (latest === undefined || latest.metadata.uid !== resource.metadata.uid) return;
  const current = latest.status ?? {};
  const announced = current.pendingWrite?.time !== resource.status?.pendingWrite?.time;
  const after = nextStatus({
    resource,
    current,
    situation: decision?.situation,
    decided: decision,
    outcome,
    nowMs: parts.clock.now(),
  });
  const saved = await parts.store.saveStatus(latest, after, { mustLand: announced });
  if (announced) reportWrite(resource, decision, outcome, parts);
  if (saved === 'stale') return;
  const before = resource.status ?? {};
  for (const event of eventsFor({ before, after, plan: decision?.plan, outcome }))
    parts.events.record(saved, event);
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
