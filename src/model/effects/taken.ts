import { restored, type Written } from './effect-of.ts';
import { hasNeighbour, untouchedBy } from './untouched.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../external/observation.ts';

/**
 * A write without the fields that a list lacks before it shows anything of the write, beside another text of the block that the
 * write left out too and that stays: somebody took them away, and the write may come later.
 */
export function withoutTaken(written: Written, list: ObservedDeployment): Written {
  const { before, listed, body } = written;
  if (listed === undefined) return written;
  const asListed = { before: listed, body };
  const gone = untouchedBy(asListed, list).lost;
  const taken = gone.filter((path) => hasNeighbour(path, asListed, list));
  if (taken.length === 0) return written;
  return { ...written, before: withoutFields(before, taken), listed: withoutFields(listed, taken) };
}

/**
 * A write with what a list shows that only answers had shown before: the list may be older than the write, and a later one that
 * lacks it shows a loss.
 */
export function withListed(written: Written, list: ObservedDeployment): Written {
  const { before, listed, body } = written;
  if (listed === undefined) return written;
  const { kept } = untouchedBy({ before, body }, list);
  const known = untouchedBy({ before, body }, listed).kept;
  const seen = kept.filter((path) => !known.includes(path));
  return seen.length === 0 ? written : { ...written, listed: restored({ before }, listed, seen) };
}

/** A look less some fields of its two blocks, by their paths. */
export function withoutFields(look: ObservedDeployment, paths: readonly string[]): ObservedDeployment {
  const { sourceConfig, sourceRevisionConfig } = look;
  const rest = (block: string, fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => !paths.includes(`${block}.${key}`)));
  return {
    ...look,
    ...(sourceConfig && {
      sourceConfig: { ...sourceConfig, fields: rest('sourceConfig', sourceConfig.fields) },
    }),
    ...(sourceRevisionConfig && {
      sourceRevisionConfig: {
        ...sourceRevisionConfig,
        fields: rest('sourceRevisionConfig', sourceRevisionConfig.fields),
      },
    }),
  };
}
