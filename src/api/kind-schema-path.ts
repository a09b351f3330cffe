import { GROUP, VERSION } from './metadata.ts';

/** The address at which the folder `docs` of the project is published. */
export const DOCUMENTS = 'https://dms-operator.dev/docs/';

/** Returns the path of the JSON schema of a kind below `docs`, in the layout of catalogues that kubeconform reads. */
export function kindSchemaPath(kind: string): string {
  return `reference/schemas/${GROUP}/${kind.toLowerCase()}_${VERSION}.json`;
}
