import { parse } from 'yaml';
import type { CrdSchema } from './crd-schema.ts';
import { textOf } from './generated-files.ts';

/** A column that `kubectl get` prints. */
export interface PrinterColumn {
  readonly name: string;
  readonly description: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
}

/** A CustomResourceDefinition with the schema of its one version. */
export interface Crd {
  readonly group: string;
  readonly version: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly plural: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly columns: readonly PrinterColumn[];
  /** The unchanged text of the file. */
  readonly text: string;
  readonly schema: CrdSchema;
}

interface CrdDocument {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: { readonly kind: string; readonly shortNames: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly additionalPrinterColumns: readonly PrinterColumn[];
      readonly schema: { readonly openAPIV3Schema: CrdSchema };
    }[];
  };
}

/** Reads crds/PLURAL.yaml. Throws where it has no version. */
export async function readCrd(plural: string): Promise<Crd> {
  const text = await textOf(`crds/${plural}.yaml`);
  const { group, scope, names, versions } = (parse(text) as CrdDocument).spec;
  const [version] = versions;
  if (version === undefined) throw new Error(`crds/${plural}.yaml has no version`);
  return {
    ...{ group, scope, plural, kind: names.kind, shortNames: names.shortNames, text },
    version: version.name,
    columns: version.additionalPrinterColumns,
    schema: version.schema.openAPIV3Schema,
  };
}

/** Returns the schema of `spec` or `status`. Throws if there is none. */
export function partOf(crd: Crd, name: 'spec' | 'status'): CrdSchema {
  const schema = crd.schema.properties?.[name];
  if (schema === undefined) throw new Error(`crds/${crd.plural}.yaml has no ${name}`);
  return schema;
}
