import type { Switch } from './switch.ts';
import { type NESTED_BLOCKS, type NestedMode, SWITCHES } from './switches.ts';

type Switches = typeof SWITCHES;

type SwitchValues = {
  readonly [Key in keyof Switches]: Switches[Key] extends Switch<infer Value> ? Value : never;
};

/** One answer to every open question of the specification, as plain JSON. */
export interface ServiceSemantics extends SwitchValues {
  readonly nested: Readonly<Record<keyof typeof NESTED_BLOCKS, NestedMode>>;
}

/** A position of the switch `lists`. */
export type ListMode = ServiceSemantics['lists'];

/** A position of the switch `trigger`. */
export type Trigger = ServiceSemantics['trigger'];

/** A position of the switch `revisionFor`. */
export type RevisionBlocks = ServiceSemantics['revisionFor'];

/** A position of the switch `secretsEcho`. */
export type SecretsEcho = ServiceSemantics['secretsEcho'];

/** A position of the switch `patchEcho`. */
export type PatchEcho = ServiceSemantics['patchEcho'];

/** A position of the switch `listItem`. */
export type ItemForm = ServiceSemantics['listItem'];

/** A position of the switch `offsetMode`. */
export type OffsetMode = ServiceSemantics['offsetMode'];

/** A position of the switch `paramNames`. */
export type ParameterNames = ServiceSemantics['paramNames'];

/** A position of the switch `errorShape`. */
export type ErrorShape = ServiceSemantics['errorShape'];

/** One of the ways in which shown values differ from sent values. */
export type Normalisation = ServiceSemantics['normalise'][number];

/** One of the ways in which list items differ. */
export type ListShape = ServiceSemantics['listShape'][number];

/** A change of some switches. */
export type SemanticsPatch = Partial<SwitchValues> & {
  readonly nested?: Partial<ServiceSemantics['nested']>;
};

/**
 * A pleasant service: omitted fields keep their values, only changes make revisions, and the service shows values as
 * they were sent.
 */
export const PLEASANT: ServiceSemantics = {
  ...(Object.fromEntries(
    Object.entries(SWITCHES).map(([key, { pleasant }]) => [key, pleasant]),
  ) as SwitchValues),
  nested: { sourceConfig: 'merge-null-clears', revisionConfig: 'merge-null-clears', resourceSpec: 'replace' },
};

/** Returns the switches after a change; it changes `nested` and `fieldRules` key by key. */
export function withSemantics(base: ServiceSemantics, patch: SemanticsPatch): ServiceSemantics {
  return {
    ...base,
    ...patch,
    nested: { ...base.nested, ...patch.nested },
    fieldRules: { ...base.fieldRules, ...patch.fieldRules },
  };
}

/** Joins two changes into one; the later one wins. */
export function joinPatches(first: SemanticsPatch, second: SemanticsPatch): SemanticsPatch {
  return {
    ...first,
    ...second,
    nested: { ...first.nested, ...second.nested },
    fieldRules: { ...first.fieldRules, ...second.fieldRules },
  };
}
