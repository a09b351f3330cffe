import type { ControlPlane } from './control-plane.ts';

/** The parts of a structural schema that an edit touches. */
export interface EditedSchema {
  type?: string;
  required?: string[];
  properties?: Record<string, EditedSchema>;
}

interface InstalledCRD {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: EditedSchema } }[];
  };
}

const path = (plural: string): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.dms-operator.dev`;

/**
 * Replaces an installed CRD by that of another release, as `edit` changes it. Returns a function that restores the old
 * one.
 */
export async function withEditedCRD(
  cluster: Pick<ControlPlane, 'request'>,
  plural: string,
  edit: (schema: EditedSchema) => void,
): Promise<() => Promise<void>> {
  const { json } = await cluster.request('GET', path(plural));
  const before = json as unknown as InstalledCRD;
  const after = structuredClone(before);
  for (const { schema } of after.spec.versions) edit(schema.openAPIV3Schema);
  const put = async ({ spec }: InstalledCRD): Promise<void> => {
    const { status, text } = await cluster.request(
      'PATCH',
      path(plural),
      { spec },
      'application/merge-patch+json',
    );
    if (status !== 200) throw new Error(`the CRD could not be replaced: ${status} ${text}`);
  };
  await put(after);
  return () => put(before);
}

/** Returns the schema of a field, such as `status.pendingWrite`; throws if there is none. */
export function fieldOf(schema: EditedSchema, field: string): EditedSchema {
  let found: EditedSchema | undefined = schema;
  for (const name of field.split('.')) found = found?.properties?.[name];
  if (found === undefined) throw new Error(`the schema has no field ${field}`);
  return found;
}

/** Removes a field from a schema, as in a release before that field. */
export function withoutField(schema: EditedSchema, field: string): void {
  const [name = '', ...parents] = field.split('.').toReversed();
  const parent = fieldOf(schema, parents.toReversed().join('.'));
  if (parent.properties?.[name] === undefined) throw new Error(`the schema has no field ${field}`);
  parent.properties = Object.fromEntries(Object.entries(parent.properties).filter(([key]) => key !== name));
  if (parent.required !== undefined) parent.required = parent.required.filter((key) => key !== name);
}
