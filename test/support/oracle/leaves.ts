import { isDeepStrictEqual } from 'node:util';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { Content } from '../../../src/simulator/state/deployment-state.ts';
import { isWireObject, objectOf, textOf } from '../../../src/simulator/values/wire-values.ts';
import type { WireJson, WireObject } from '../../../src/wire/wire-json.ts';

/** Values by path in wire names: `source_config.cpu`, `secrets.API_TOKEN`. */
export type Leaves = ReadonlyMap<string, WireJson>;

const SPEC = 'source_config.resource_spec';

/** Maps inside a resource spec whose keys belong to different people. */
const MAPS = ['labels', 'annotations'];

/** Returns the values of a request, each under its own path, including explicit nulls. */
export function leavesOfBody(body: WireObject): Leaves {
  return new Map([
    ...leavesOfConfig(objectOf(body['source_config'])),
    ...keyed('source_revision_config', objectOf(body['source_revision_config'])),
    ...named('secrets', body['secrets'], (item) => item['value'] ?? null),
    ...named('secret_references', body['secret_references'], (item) => item),
  ]);
}

/** Returns the values that the service stores, without nulls. */
export function leavesOfContent({
  sourceConfig,
  revisionConfig,
  secrets,
  secretReferences,
}: Content): Leaves {
  const leaves = leavesOfBody({
    source_config: sourceConfig,
    source_revision_config: revisionConfig,
    secrets: secrets.map(({ name, value }) => ({ name, value })),
    secret_references: secretReferences,
  });
  return new Map([...leaves].filter(([, value]) => !isEmpty(value)));
}

/** Returns the values that a resource asks for, without secrets. A field to be emptied has an explicit null. */
export function leavesOfSpec({ spec }: Pick<DeploymentResource, 'spec'>): Leaves {
  const { sourceConfig = {}, sourceRevisionConfig = {}, secretReferences, clear = [] } = spec;
  const config = wireKeys(sourceConfig as WireObject);
  const references = (secretReferences ?? []).map((reference) => wireKeys({ ...reference }));
  return new Map([
    ...clear.map((path): [string, WireJson] => [wirePath(path), null]),
    ...leavesOfBody({
      source_config: config,
      source_revision_config: wireKeys(sourceRevisionConfig as WireObject),
      secret_references: references,
    }),
  ]);
}

/** True if two values are equivalent: empty values are equal, and so are lists of the same items in another order. */
export function alike(a: WireJson | undefined, b: WireJson | undefined): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  return isDeepStrictEqual(inOrder(a), inOrder(b));
}

/** True for undefined, null, and empty texts, lists and objects. */
export function isEmpty(value: WireJson | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isWireObject(value) && Object.values(value).every(isEmpty);
}

/** Returns the name of a field as the service spells it (2.4 to 2.6): `imageURI` is `image_uri`. */
function wireName(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** Returns the path of a field as the service spells it. */
export function wirePath(path: string): string {
  return path.split('.').map(wireName).join('.');
}

/** Returns one level with wire names, including the objects whose members are fields of the service too. */
function wireKeys(object: WireObject): WireObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const nested = ['resourceSpec', 'listenerConfig'].includes(key) && isWireObject(value);
      return [wireName(key), nested ? wireKeys(value) : value];
    }),
  );
}

function leavesOfConfig(config: WireObject): [string, WireJson][] {
  const { resource_spec: spec = null, ...others } = config;
  return [
    ...keyed('source_config', others),
    ...Object.entries(objectOf(spec)).flatMap(([key, value]): [string, WireJson][] =>
      MAPS.includes(key) && isWireObject(value)
        ? keyed(`${SPEC}.${key}`, value)
        : [[`${SPEC}.${key}`, value]],
    ),
  ];
}

function keyed(prefix: string, object: WireObject): [string, WireJson][] {
  return Object.entries(object).map(([key, value]) => [`${prefix}.${key}`, value]);
}

/** Returns items by name. If several items have the same name, the last one counts, as in a lookup by name. */
function named(
  prefix: string,
  list: WireJson | undefined,
  valueOf: (item: WireObject) => WireJson,
): [string, WireJson][] {
  if (!Array.isArray(list)) return [];
  return (list as readonly WireJson[])
    .filter(isWireObject)
    .map((item) => [`${prefix}.${textOf(item['name'])}`, valueOf(item)]);
}

/** True if one of two paths equals the other or is below it. */
export function isUnder(leaf: string, path: string): boolean {
  return leaf === path || leaf.startsWith(`${path}.`) || path.startsWith(`${leaf}.`);
}

/** True if a value at or below a path differs between two contents; undefined means no content. */
export function differsUnder(before: Content | undefined, after: Content | undefined, path: string): boolean {
  const [had, has] = [before, after].map((content): Leaves =>
    content === undefined ? new Map() : leavesOfContent(content),
  );
  const leaves = [...(had?.keys() ?? []), ...(has?.keys() ?? [])].filter((leaf) => isUnder(leaf, path));
  return leaves.some((leaf) => !alike(had?.get(leaf), has?.get(leaf)));
}

/** Returns the same value for lists that differ only in the order of their items. */
function inOrder(value: WireJson | undefined): unknown {
  if (Array.isArray(value))
    return (value as readonly WireJson[]).map(inOrder).toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
  if (!isWireObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, inOrder(member)]),
  );
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
