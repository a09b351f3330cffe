import type { DeploymentResource } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import { supersededRevision } from '../../model/external/newest-known.ts';
import type { Observation } from '../../model/external/observation.ts';

/** Since when the list shows a revision that a later one had replaced. */
interface Doubt {
  readonly revision: string;
  readonly sinceMs: number;
}

/**
 * Tracks looks that show an older state than the last one: they count once they have lasted for the consistency window
 * (R10).
 */
export class StaleLooks {
  readonly #doubts = new Map<string, Doubt>();

  /**
   * Returns the milliseconds until such a look counts, if it still shows the same state then; undefined if it counts
   * now.
   */
  doubtMs(resource: DeploymentResource, observation: Observation): number | undefined {
    if (observation.kind !== 'present') return undefined;
    const text = keyText(keyOf(resource));
    const { deployment, beganMs, via } = observation;
    const revision = via === 'list' ? supersededRevision(resource, deployment) : undefined;
    if (revision === undefined) {
      this.#doubts.delete(text);
      return undefined;
    }
    const known = this.#doubts.get(text);
    const doubt = known?.revision === revision ? known : { revision, sinceMs: beganMs };
    this.#doubts.set(text, doubt);
    const leftMs = doubt.sinceMs + DEFAULTS.consistencyWindowMs - beganMs;
    return leftMs > 0 ? leftMs : undefined;
  }

  /** True while the newest look is in doubt, or counted only because it lasted: another look is worth a call. */
  has(resource: DeploymentResource): boolean {
    return this.#doubts.has(keyText(keyOf(resource)));
  }

  /** Forgets a resource that is gone. */
  forget(text: string): void {
    this.#doubts.delete(text);
  }
}
