import { isEmpty } from '../desired/canonical-text.ts';
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
  // A list that shows another value of that write, which no list showed before, is newer than the write.
  return !showsArrival({ before: written.listed, body: beyondUnshown(written, list).body }, list);
}

/** Returns a look with the fields that a write carried and that the look lacks. */
export function withCarriedBy({ body }: Written, look: ObservedDeployment): ObservedDeployment {
  const { sourceConfig, sourceRevisionConfig } = look;
  const { sourceConfig: sent, sourceRevisionConfig: revision } = body;
  const spec = sourceConfig?.resourceSpec;
  const sentSpec = sent?.resourceSpec;
  return {
    ...look,
    ...(sent && {
      sourceConfig: {
        ...sourceConfig,
        fields: filled(sourceConfig?.fields, sent.fields),
        ...(sentSpec && {
          resourceSpec: {
            fields: filled(spec?.fields, sentSpec.fields),
            unknown: filled(spec?.unknown, sentSpec.unknown),
          },
        }),
      },
    }),
    ...(revision && {
      sourceRevisionConfig: {
        ...sourceRevisionConfig,
        fields: filled(sourceRevisionConfig?.fields, revision),
      },
    }),
  };
}

function filled(shown: JsonObject = {}, sent: JsonObject): JsonObject {
  const missing = Object.entries(sent).filter(([key, value]) => !isEmpty(value) && isEmpty(shown[key]));
  return { ...shown, ...Object.fromEntries(missing) };
}
