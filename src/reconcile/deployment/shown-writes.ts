import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { acceptedPatch } from '../../model/recorded/accepted-patch.ts';
import { writeShownMs } from '../../model/compare/assess.ts';
import type { Situation } from '../../model/plan/situation.ts';

/** The read that showed what became of a write. */
interface ShownWrite {
  /** Of the write, as status has it. */
  readonly time: string;
  readonly beganMs: number;
}

/**
 * When the list first showed, after its window, what became of the newest write to each deployment. From then on the service
 * has written ours in its own way, if it ever does. Another process does not know it and takes longer to believe it.
 */
export class ShownWrites {
  readonly #known = new Map<string, ShownWrite>();

  /** When that read began; undefined where none was recorded by this process. */
  beganMs({ metadata, status, kind }: DeploymentResource): number | undefined {
    const known = this.#known.get(keyText(keyOf({ metadata, kind })));
    return known?.time === acceptedPatch(status)?.time ? known?.beganMs : undefined;
  }

  /** Notes what a recorded pass was decided on. */
  saw({ resource, observation, settings }: Pick<Situation, 'resource' | 'observation' | 'settings'>): void {
    const time = acceptedPatch(resource.status)?.time;
    if (time === undefined || observation.kind !== 'present' || observation.via !== 'list') return;
    const { beganMs } = observation;
    const text = keyText(keyOf(resource));
    if (beganMs < writeShownMs(resource, settings) || this.#known.get(text)?.time === time) return;
    this.#known.set(text, { time, beganMs });
  }

  /** The resource is gone. */
  forget(key: Key): void {
    this.#known.delete(keyText(key));
  }
}
