import { defined } from '../../base/defined.ts';
import type { JsonObject } from '../../base/json.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { ObservedDeployment } from '../external/observation.ts';

/** Returns a look without the given secrets, and without the given fields of its two blocks and of its resource spec. */
export function withoutFields(look: ObservedDeployment, paths: readonly string[]): ObservedDeployment {
  const { sourceConfig, sourceRevisionConfig, secrets } = look;
  const spec = sourceConfig?.resourceSpec;
  const rest = (block: string, fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => !paths.includes(`${block}.${key}`)));
  const restOfSpec = (fields: JsonObject): JsonObject => rest('sourceConfig.resourceSpec', fields);
  return {
    ...look,
    ...defined({ secrets: secrets?.filter(({ name }) => !paths.includes(`${SECRETS_PATH}.${name}`)) }),
    ...(sourceConfig && {
      sourceConfig: {
        ...sourceConfig,
        fields: rest('sourceConfig', sourceConfig.fields),
        ...(spec && { resourceSpec: { fields: restOfSpec(spec.fields), unknown: restOfSpec(spec.unknown) } }),
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
