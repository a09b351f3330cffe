import type { ConnectionResource } from '../../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import type { Change } from '../../model/compare/change.ts';
import { type DataReference, dataReferences } from '../../model/connection/references.ts';
import { textForPeople } from '../../base/text-for-people.ts';

/** Values of a Secret or ConfigMap, by their keys. */
export type ManifestValues = ReadonlyMap<string, { readonly bytes: Uint8Array }>;

/** Finds what manifests declare; undefined where that is kept elsewhere. */
export type ValuesOf = (reference: DataReference) => ManifestValues | undefined;

/** The longest list of keys in a plan, in bytes. */
const SHOWN_BYTES = 120;

/** Where the values differ that a resource takes from Secrets and ConfigMaps; keys are named, and no value is shown. */
export function dataChanges(
  resource: DeploymentResource | ConnectionResource,
  before: ValuesOf,
  after: ValuesOf,
): readonly Change[] {
  const named = new Map(dataReferences(resource).map((one) => [`${one.kind} ${one.name}`, one]));
  return [...named].flatMap(([path, reference]) => {
    const [was, is] = [before(reference), after(reference)];
    if (was === undefined && is === undefined) return [];
    const used = usedKeys(resource, reference);
    const keys = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].toSorted();
    const changed = keys.filter(
      (key) => (used === 'all' || used.has(key)) && !isSame(was?.get(key), is?.get(key)),
    );
    if (changed.length === 0) return [];
    const shown = textForPeople(changed.join(', '), SHOWN_BYTES);
    const revision = resource.kind === DEPLOYMENT_KIND ? 'Possible' : 'None';
    if (was === undefined) return [{ path, from: '(not declared)', to: shown, revision }];
    if (is === undefined) return [{ path, from: shown, to: '(not declared)', revision }];
    return [{ path, from: 'as before', to: `changed: ${shown}`, revision }];
  });
}

function isSame(
  a: { readonly bytes: Uint8Array } | undefined,
  b: { readonly bytes: Uint8Array } | undefined,
): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, at) => byte === b.bytes[at]);
}

/** Of a Secret that is named as a whole, every key counts. */
function usedKeys(
  resource: DeploymentResource | ConnectionResource,
  { kind, name }: DataReference,
): ReadonlySet<string> | 'all' {
  const { whole, single } = sources(resource);
  if (kind === 'Secret' && whole.some((secret) => secret.name === name)) return 'all';
  const refs = single.map((from) => (kind === 'Secret' ? from?.secretKeyRef : from?.configMapKeyRef));
  return new Set(refs.flatMap((ref) => (ref?.name === name ? [ref.key] : [])));
}

interface ValueSource {
  readonly secretKeyRef?: { readonly name: string; readonly key: string };
  readonly configMapKeyRef?: { readonly name: string; readonly key: string };
}

function sources(resource: DeploymentResource | ConnectionResource): {
  readonly whole: readonly { readonly name: string }[];
  readonly single: readonly (ValueSource | undefined)[];
} {
  if (resource.kind === DEPLOYMENT_KIND) {
    const { secrets = [], secretsFrom = [] } = resource.spec;
    return {
      whole: secretsFrom.map(({ secretRef }) => secretRef),
      single: secrets.map(({ valueFrom }) => valueFrom),
    };
  }
  const { headers = [], tls, proxy } = resource.spec;
  const certificate = tls?.clientCertificate;
  return {
    whole: certificate === undefined ? [] : [certificate.secretRef],
    single: [
      ...headers.map(({ valueFrom }) => valueFrom),
      ...[tls?.caBundle, proxy?.credentials?.username, proxy?.credentials?.password, proxy?.caBundle],
    ],
  };
}
