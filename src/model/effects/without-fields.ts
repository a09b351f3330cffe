import type { JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../external/observation.ts';

/** Returns a look without the given fields of its two blocks and of its resource spec. */
export function withoutFields(look: ObservedDeployment, paths: readonly string[]): ObservedDeployment {
  const { sourceConfig, sourceRevisionConfig } = look;
  const spec = sourceConfig?.resourceSpec;
  const rest = (block: string, fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => !paths.includes(`${block}.${key}`)));
  return {
    ...look,
    ...(sourceConfig && {
      sourceConfig: {
        ...sourceConfig,
        fields: rest('sourceConfig', sourceConfig.fields),
        ...(spec && { resourceSpec: { ...spec, fields: rest('sourceConfig.resourceSpec', spec.fields) } }),
      },
    }),
    ...(sourceRevisionConfig && {
      sourceRevisionConfig: {
        ...sourceRevisionConfig,
        fields: rest('sourceRevisionConfig', sourceRevisionConfig.fields),
      },
    }),
  };
}
