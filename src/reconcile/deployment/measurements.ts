import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { connectionText } from '../../model/connection/connection.ts';
import type { Event } from '../../model/outcome/event.ts';
import { type Outcome, wasSent } from '../../model/outcome/outcome.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Metrics, ResourceMetrics } from '../../ports/process/metrics.ts';
import type { Decision } from './decide.ts';

/** A new generation, from the first pass that sees it until its revision is active. */
interface Edit {
  readonly generation: number;
  readonly seenMs: number;
  readonly sent: boolean;
}

/** A recorded pass. */
export interface RecordedPass {
  readonly resource: DeploymentResource;
  readonly after: DeploymentStatus;
  readonly decision: Decision | undefined;
  readonly events: readonly Event[];
  readonly nowMs: number;
}

/** Counts passes over deployments. The duration of an edit is known only if this process has seen the edit. */
export class Measurements {
  readonly #metrics: Metrics & ResourceMetrics;
  readonly #edits = new Map<string, Edit>();

  constructor(metrics: Metrics & ResourceMetrics) {
    this.#metrics = metrics;
  }

  /** Records that a pass began. */
  began(resource: DeploymentResource, nowMs: number): void {
    const { generation = 0 } = resource.metadata;
    const text = keyText(keyOf(resource));
    if (resource.status?.observedGeneration === generation) return;
    if (this.#edits.get(text)?.generation === generation) return;
    this.#edits.set(text, { generation, seenMs: nowMs, sent: false });
  }

  /** Counts an announced write and its outcome. */
  wrote({ plan, service, situation }: Decision, outcome: Outcome, nowMs: number): void {
    const connection = connectionText(service.settings.name);
    this.#metrics.patched(connection, writeCauseOf(plan), outcome.kind);
    const text = keyText(keyOf(situation.resource));
    const edit = this.#edits.get(text);
    if (edit === undefined || edit.sent || !wasSent(outcome)) return;
    this.#metrics.editSent(connection, (nowMs - edit.seenMs) / 1000);
    this.#edits.set(text, { ...edit, sent: true });
  }

  /** Counts a recorded pass and its events. */
  recorded(pass: RecordedPass): void {
    const { resource, after, decision } = pass;
    const ready = after.conditions?.find(({ type }) => type === 'Ready');
    if (ready !== undefined) this.#metrics.resourceShown(keyOf(resource), ready.status, ready.reason);
    if (decision === undefined) return;
    const connection = connectionText(decision.service.settings.name);
    this.#countRevisions(connection, pass);
    this.#forgetUnsent(pass);
    for (const { reason } of pass.events) {
      if (reason === 'DriftCorrected') this.#metrics.drifted(connection, 'corrected');
      if (reason === 'DriftCorrectionSuspended') this.#metrics.drifted(connection, 'suspended');
      if (reason === 'DriftDetected' && decision.plan.kind === 'nothing')
        this.#metrics.drifted(connection, 'reported');
    }
  }

  /** Forgets a resource that is gone. */
  gone(key: Key): void {
    this.#edits.delete(keyText(key));
    this.#metrics.resourceGone(key);
  }

  /** Forgets an edit that requested nothing new: a correction hours later is not its write. */
  #forgetUnsent({ resource, decision }: RecordedPass): void {
    const text = keyText(keyOf(resource));
    const plan = decision?.plan;
    const nothing = plan?.kind === 'nothing' && plan.changes.length === 0 && plan.withheld.length === 0;
    if (nothing && this.#edits.get(text)?.sent === false) this.#edits.delete(text);
  }

  #countRevisions(connection: string, { resource, after, nowMs }: RecordedPass): void {
    const before = resource.status?.revisions ?? [];
    const newest = after.revisions?.[0];
    if (newest !== undefined && newest.id !== before[0]?.id) this.#metrics.revised(connection, newest.cause);
    const text = keyText(keyOf(resource));
    const edit = this.#edits.get(text);
    const made = after.revisions?.find(
      ({ generation, activeTime }) => generation === edit?.generation && activeTime !== undefined,
    );
    if (edit?.sent !== true || made === undefined) return;
    this.#metrics.editActive(connection, (nowMs - edit.seenMs) / 1000);
    this.#edits.delete(text);
  }
}

/** Returns the cause of a write, in one word for people and metrics. */
export function writeCauseOf(plan: Plan): string {
  return plan.kind === 'patch' ? plan.cause : plan.kind;
}
