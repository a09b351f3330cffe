import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { acceptedPatch } from '../../model/recorded/accepted-patch.ts';
import { isShown, WHOLE_SPEC } from '../../model/effects/effect-of.ts';
import { hasOthersInSpec } from '../../model/effects/others-in-spec.ts';
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
  saw(situation: Pick<Situation, 'resource' | 'observation' | 'settings' | 'desired'>): void {
    const { resource, observation, settings, desired } = situation;
    const time = acceptedPatch(resource.status)?.time;
    if (time === undefined || observation.kind !== 'present' || observation.via !== 'list') return;
    const { beganMs, deployment } = observation;
    const { settledMs, sawWindow, showedSpec } = this.of(resource);
    const isAfter = settledMs !== undefined || beganMs >= writeShownMs(resource, settings);
    const shows = isShown(deployment, WHOLE_SPEC) === true;
    const after = {
      settledMs: settledMs ?? beganMs,
      showedSpec: shows ? !hasOthersInSpec(deployment, desired.fields) : showedSpec,
    };
    this.#known.set(
      keyText(keyOf(resource)),
      isAfter ? { time, sawWindow, ...after } : { time, sawWindow: true },
    );
  }

  /** Forgets a resource that is gone. */
  forget(key: Key): void {
    this.#known.delete(keyText(key));
  }
}
