import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const INSTALL = join(import.meta.dirname, '..', '..', '..', 'manifests', 'install');

/** A rule of a role in RBAC. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The smallest part of a rule: one verb on one resource. */
export interface Right {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The resource with its subresource: `deployments/status`. */
  readonly resource: string;
  /** The name of the only permitted object; absent for all. */
  readonly name?: string;
}

/** A shipped role. */
export interface ShippedRole {
  readonly kind: 'ClusterRole' | 'Role';
  readonly name: string;
  readonly rights: readonly Right[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly Rule[];
}

/** Returns the roles in a file of manifests/install. */
export function shippedRoles(file: string): readonly ShippedRole[] {
  const documents = parseAllDocuments(readFileSync(join(INSTALL, file), 'utf8'));
  return documents
    .map((document) => document.toJS() as Manifest)
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .map(({ kind, metadata, rules = [] }) => ({
      kind: kind as ShippedRole['kind'],
      name: metadata.name,
      rights: rules.flatMap(rightsOf),
    }));
}

function rightsOf({ apiGroups, resources, verbs, resourceNames }: Rule): readonly Right[] {
  const names = resourceNames === undefined ? [{}] : resourceNames.map((name) => ({ name }));
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, group, resource, ...name }))),
    ),
  );
}

/** Returns the rules that grant exactly these rights. */
export function rulesFor(rights: readonly Right[]): readonly Rule[] {
  return rights.map(({ verb, group, resource, name }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
    ...(name === undefined ? {} : { resourceNames: [name] }),
  }));
}

/** Describes a right. */
export function rightText({ verb, group, resource, name }: Right): string {
  const of = group === '' ? resource : `${resource}.${group}`;
  return name === undefined ? `${verb} ${of}` : `${verb} ${of} named ${name}`;
}

/** True if a right, which may be for one name only, covers the needed one. */
export function allows(right: Right, needed: Right): boolean {
  return (
    right.verb === needed.verb &&
    right.group === needed.group &&
    right.resource === needed.resource &&
    (right.name === undefined || right.name === needed.name)
  );
}

const PATH =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<sub>[^/]+))?)?$/;
const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Returns the right that a request needs, with the name of its object; undefined if it needs none. */
export function neededFor(method: string, address: string): Right | undefined {
  const { pathname, searchParams } = new URL(address, 'http://api');
  const { group = '', plural, name, sub } = PATH.exec(pathname)?.groups ?? {};
  if (plural === undefined) return undefined;
  const read = searchParams.get('watch') === 'true' ? 'watch' : name === undefined ? 'list' : 'get';
  const verb = VERBS[method] ?? read;
  const resource = sub === undefined ? plural : `${plural}/${sub}`;
  return { verb, group, resource, ...(name === undefined ? {} : { name }) };
}
