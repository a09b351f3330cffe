import { defined } from '../../base/defined.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import type { ConnectionResource } from '../../api/connection.ts';
import { canonicalText, stableText } from '../../model/desired/canonical-text.ts';
import { type Change, displayOf, revisionBy } from '../../model/compare/change.ts';
import { desiredDeployment, type DesiredField } from '../../model/desired/desired-deployment.ts';
import { type Display, SECRETS_PATH } from '../../model/desired/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type DataReference, dataReferences } from '../../model/connection/data-references.ts';
import { textForPeople } from '../../base/text-for-people.ts';

/** A resource that manifests declare. */
type Declared = DeploymentResource | ConnectionResource;

/** The placeholder in a table where a side has no value. */
const ABSENT = '(absent)';

/**
 * Returns the differences between two manifests of one resource; either side may be missing. Names secrets without
 * their values.
 */
export function manifestChanges(
  before: Declared | undefined,
  after: Declared | undefined,
): readonly Change[] {
  return [...fieldChanges(asDeployment(before), asDeployment(after)), ...memberChanges(before, after)];
}

function asDeployment(declared: Declared | undefined): DeploymentResource | undefined {
  return declared?.kind === DEPLOYMENT_KIND ? declared : undefined;
}

/** Compares the fields that a request carries, in the same way as against the service. */
function fieldChanges(
  before: DeploymentResource | undefined,
  after: DeploymentResource | undefined,
): readonly Change[] {
  const [was, is] = [before, after].map(fieldsOf);
  const paths = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...paths].flatMap((path) => {
    const [from, to] = [was?.get(path), is?.get(path)];
    const field = (from ?? to)?.field;
    if (field === undefined || textOf(from) === textOf(to)) return [];
    return [
      { path, from: shown(from), to: shown(to), revision: to === undefined ? 'None' : revisionBy(field) },
    ];
  });
}

function fieldsOf(resource: DeploymentResource | undefined): ReadonlyMap<string, DesiredField> {
  const fields = resource === undefined ? [] : desiredDeployment(resource.spec, { kind: 'unmanaged' }).fields;
  return new Map(fields.map((field) => [field.field.path, field]));
}

/** Returns a field as text. An undeclared field differs from a field that is declared empty. */
function textOf(field: DesiredField | undefined): string | undefined {
  return field === undefined ? undefined : canonicalText(field.value, field.field.shape);
}

function shown(field: DesiredField | undefined): string {
  return field === undefined ? ABSENT : displayOf(field.value, field.field.display);
}

/** The members of a spec that contain the fields of a request. */
const HOLD_FIELDS = new Set(['sourceConfig', 'sourceRevisionConfig', 'secretReferences', 'clear']);

/** The members of a spec that name the sources of secrets. */
const SECRETS: ReadonlySet<string> = new Set([SECRETS_PATH, 'secretsFrom']);

/** Compares everything else in a spec: policies, references, and the whole spec of a connection. */
function memberChanges(before: Declared | undefined, after: Declared | undefined): readonly Change[] {
  const [was, is] = [before, after].map((declared) => (declared?.spec ?? {}) as JsonObject);
  const ofDeployment = (before ?? after)?.kind === DEPLOYMENT_KIND;
  const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
  return [...names].flatMap((name) => {
    const [from, to] = [was?.[name], is?.[name]];
    const isField = ofDeployment && HOLD_FIELDS.has(name);
    if (isField || stableText(from ?? null) === stableText(to ?? null)) return [];
    // If a field is no longer declared, the operator releases it and sends nothing.
    const revision = ofDeployment && SECRETS.has(name) && to !== undefined ? 'Possible' : 'None';
    return [{ path: name, ...sides(member(name, from), member(name, to)), revision }];
  });
}

/** Returns both sides of a change. If the texts are equal, hidden values differ, and the text says so. */
function sides(from: string, to: string): Pick<Change, 'from' | 'to'> {
  return from === to ? { from, to: `${to} (changed)` } : { from, to };
}

/** The members whose values are only numbers, keywords and names. */
const PLAIN: ReadonlySet<string> = new Set([
  'connectionRef',
  'deploymentRef',
  'rateLimit',
  'poll',
  'list',
  'patch',
  'rollout',
]);

function member(name: string, value: Json | undefined): string {
  if (value === undefined) return ABSENT;
  if (SECRETS.has(name) && Array.isArray(value)) return namesIn(value);
  const isPlain = typeof value !== 'object' || PLAIN.has(name);
  const how: Display = name === 'baseURL' ? 'url' : isPlain ? 'value' : 'changed';
  return displayOf(value, how);
}

function namesIn(items: readonly Json[]): string {
  const names = items.map((item) => {
    if (!isJsonObject(item)) return '';
    const named = isJsonObject(item['secretRef']) ? item['secretRef'] : item;
    return typeof named['name'] === 'string' ? named['name'] : '';
  });
  return displayOf(names.join(', '), 'value');
}

/**
 * Returns the resource as it would be in a cluster after its manifest is applied: with the spec of the manifest, and
 * otherwise unchanged. Annotations that people set, such as a pause, stay; a deletion that has begun continues.
 */
export function asApplied(
  declared: DeploymentResource,
  stored: DeploymentResource | undefined,
): DeploymentResource {
  if (stored === undefined) return { ...declared, metadata: { ...declared.metadata, generation: 1 } };
  const { metadata, status } = stored;
  const moved = stableText(declared.spec as Json) !== stableText(stored.spec as Json);
  return {
    ...declared,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...declared.metadata.annotations },
      generation: (metadata.generation ?? 0) + (moved ? 1 : 0),
    },
    ...defined({ status }),
  };
}

/** Values of a Secret or ConfigMap, by their keys. */
export type ManifestValues = ReadonlyMap<string, { readonly bytes: Uint8Array }>;

/** Finds the values that manifests declare; returns undefined if they are kept elsewhere. */
export type ValuesOf = (reference: DataReference) => ManifestValues | undefined;

/** The longest list of keys in a plan, in bytes. */
const SHOWN_BYTES = 120;

/** Finds changed values of the used keys of Secrets and ConfigMaps; names the keys, and shows no value. */
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

/** Returns the used keys of a Secret or ConfigMap. If the spec names the whole Secret, every key is used. */
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
