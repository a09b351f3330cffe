import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { acceptedPatch } from '../../model/recorded/accepted-patch.ts';
import { isShown, WHOLE_SPEC } from '../../model/effects/effect-of.ts';
import { writeShownMs } from '../../model/compare/assess.ts';
import type { Situation } from '../../model/plan/situation.ts';

type Facts = Pick<Situation, 'settledMs' | 'sawWindow' | 'showedSpec'>;

/** The lists that this process read since a write. */
interface ShownWrite extends Facts {
  /** The time of the write in the status. */
  readonly time: string;
}

/**
 * Records when the list first showed the effect of the newest write to each deployment, after the window of that write.
 * From that time on, the service shows our value in its own form, if it ever does. A process that read no list within
 * the window cannot know that time, since an earlier process may have read such a list.
 */
export class ShownWrites {
  readonly #known = new Map<string, ShownWrite>();

  /** Returns the facts about the newest write, as far as this process recorded any. */
  of({ metadata, status, kind }: DeploymentResource): Facts {
    const { time, ...facts } = this.#known.get(keyText(keyOf({ metadata, kind }))) ?? {};
    return time === acceptedPatch(status)?.time ? facts : {};
  }

  /** Records the look that a completed pass used. */
  saw({ resource, observation, settings }: Pick<Situation, 'resource' | 'observation' | 'settings'>): void {
    const time = acceptedPatch(resource.status)?.time;
    if (time === undefined || observation.kind !== 'present' || observation.via !== 'list') return;
    const { beganMs, deployment } = observation;
    const text = keyText(keyOf(resource));
    const { settledMs, sawWindow } = this.of(resource);
    if (settledMs !== undefined) return;
    const isAfter = beganMs >= writeShownMs(resource, settings);
    const showedSpec = isShown(deployment, WHOLE_SPEC) === true;
    this.#known.set(
      text,
      isAfter ? { time, sawWindow, settledMs: beganMs, showedSpec } : { time, sawWindow: true },
    );
  }

  /** Forgets a resource that is gone. */
  forget(key: Key): void {
    this.#known.delete(keyText(key));
  }
}
