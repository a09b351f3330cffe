import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { acceptedPatch } from '../../model/recorded/accepted-patch.ts';
import { writeShownMs } from '../../model/compare/assess.ts';
import type { Situation } from '../../model/plan/situation.ts';

/** The read that showed the effect of a write. */
interface ShownWrite {
  /** The time of the write in the status. */
  readonly time: string;
  readonly beganMs: number;
}

/**
 * Records when the list first showed the effect of the newest write to each deployment, after the window of that write.
 * From that time on, the service shows our value in its own form, if it ever does. Another process does not know the
 * time and needs longer to believe it.
 */
export class ShownWrites {
  readonly #known = new Map<string, ShownWrite>();

  /** Returns when that read began, or undefined if this process recorded none. */
  beganMs({ metadata, status, kind }: DeploymentResource): number | undefined {
    const known = this.#known.get(keyText(keyOf({ metadata, kind })));
    return known?.time === acceptedPatch(status)?.time ? known?.beganMs : undefined;
  }

  /** Records the look that a completed pass used. */
  saw({ resource, observation, settings }: Pick<Situation, 'resource' | 'observation' | 'settings'>): void {
    const time = acceptedPatch(resource.status)?.time;
    if (time === undefined || observation.kind !== 'present' || observation.via !== 'list') return;
    const { beganMs } = observation;
    const text = keyText(keyOf(resource));
    if (beganMs < writeShownMs(resource, settings) || this.#known.get(text)?.time === time) return;
    this.#known.set(text, { time, beganMs });
  }

  /** Forgets a resource that is gone. */
  forget(key: Key): void {
    this.#known.delete(keyText(key));
  }
}
