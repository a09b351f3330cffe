import { isEmpty } from '../desired/canonical-text.ts';
import { arrivalOf } from '../effects/arrival-of.ts';
import { beyondUnshown } from '../effects/beyond-unshown.ts';
import type { Written } from '../effects/effect-of.ts';
import { showsArrival } from '../effects/shows-arrival.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../external/observation.ts';

/**
 * Returns whether a list within the window of our last write may be older than that write: it shows nothing that the
 * write carried and that no list had shown before.
 */
export function mayLackCarried(
  written: Written,
  list: ObservedDeployment | undefined,
  nowMs: number,
): boolean {
  if (nowMs >= written.dueMs) return false;
  if (list === undefined || written.listed === undefined) return true;
  if (arrivalOf(written, list, nowMs) === 'shown') return false;
  // A list that shows another value of that write, which no list showed before, is newer than the write.
  return !showsArrival({ before: written.listed, body: beyondUnshown(written, list).body }, list);
}

/** Returns a look, with each block that lacks a field of a write as that write set it. */
export function withCarriedBy({ body }: Pick<Written, 'body'>, look: ObservedDeployment): ObservedDeployment {
  const { sourceConfig, sourceRevisionConfig } = look;
  const { sourceConfig: sent, sourceRevisionConfig: revision } = body;
  const spec = sourceConfig?.resourceSpec;
  const sentSpec = sent?.resourceSpec;
  return {
    ...look,
    ...(sent && {
      sourceConfig: {
        ...sourceConfig,
        fields: asCarried(sourceConfig?.fields, sent.fields),
        ...(sentSpec && {
          resourceSpec: {
            fields: asCarried(spec?.fields, sentSpec.fields),
            unknown: asCarried(spec?.unknown, sentSpec.unknown),
          },
        }),
      },
    }),
    ...(revision && {
      sourceRevisionConfig: {
        ...sourceRevisionConfig,
        fields: asCarried(sourceRevisionConfig?.fields, revision),
      },
    }),
  };
}

/**
 * Returns the fields of a block as a write set them, if the look lacks one of them. Such a look is probably from before
 * the write, and its other values may be defaults.
 */
function asCarried(shown: JsonObject = {}, sent: JsonObject): JsonObject {
  const isOlder = Object.entries(sent).some(([key, value]) => !isEmpty(value) && isEmpty(shown[key]));
  if (!isOlder) return shown;
  const emptied = Object.keys(sent).filter((key) => isEmpty(sent[key]));
  return Object.fromEntries(Object.entries({ ...shown, ...sent }).filter(([key]) => !emptied.includes(key)));
}
