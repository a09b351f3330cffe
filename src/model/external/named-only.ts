import { type Block, FIELDS } from '../desired/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from './observation.ts';
import { SecretValue } from '../../base/secret-value.ts';

/** Blocks whose `fields` also contain keys that the specification does not name, under their wire names. */
type Open = Extract<Block, 'sourceConfig' | 'sourceRevisionConfig'>;

/** The shortest text that may be a token; shorter ones are everyday words. */
const SHORTEST_TEXT = 8;

/** Returns the fields that the specification names; a service may change other fields at any time. */
export function namedOnly(block: Open, fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => NAMED[block].has(key)));
}

/** Returns the shown config objects, with only the fields that the specification names. */
export function namedConfigs({
  sourceConfig,
  sourceRevisionConfig,
}: ObservedDeployment): Pick<ObservedDeployment, 'sourceConfig' | 'sourceRevisionConfig'> {
  return {
    ...(sourceConfig === undefined
      ? {}
      : { sourceConfig: { ...sourceConfig, fields: namedOnly('sourceConfig', sourceConfig.fields) } }),
    ...(sourceRevisionConfig === undefined
      ? {}
      : {
          sourceRevisionConfig: {
            ...sourceRevisionConfig,
            fields: namedOnly('sourceRevisionConfig', sourceRevisionConfig.fields),
          },
        }),
  };
}

/** Returns every text in keys of unknown meaning that may be a secret: a service may repeat it in an error message. */
export function unnamedTexts(
  observed: ObservedDeployment,
  body: {
    readonly sourceConfig?: { readonly fields: JsonObject };
    readonly sourceRevisionConfig?: JsonObject;
  },
): readonly SecretValue[] {
  const { sourceConfig, sourceRevisionConfig } = observed;
  return [
    ...unnamedIn('sourceConfig', sourceConfig?.fields),
    ...unnamedIn('sourceRevisionConfig', sourceRevisionConfig?.fields),
    ...unnamedIn('sourceConfig', body.sourceConfig?.fields),
    ...unnamedIn('sourceRevisionConfig', body.sourceRevisionConfig),
  ];
}

function unnamedIn(block: Open, fields: JsonObject = {}): readonly SecretValue[] {
  const unnamed = Object.entries(fields).filter(([key]) => !NAMED[block].has(key));
  return unnamed.flatMap(([, value]) => textsIn(value)).map((text) => new SecretValue(text));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length < SHORTEST_TEXT ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function namesOf(block: Open): ReadonlySet<string> {
  return new Set(FIELDS.filter((field) => field.block === block).map(({ name }) => name));
}

const NAMED: Readonly<Record<Open, ReadonlySet<string>>> = {
  sourceConfig: namesOf('sourceConfig'),
  sourceRevisionConfig: namesOf('sourceRevisionConfig'),
};
