import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND } from '../../api/connection.ts';
import { DEPLOYMENT_KIND } from '../../api/deployment.ts';
import { type Key, keyText } from '../../api/metadata.ts';
import { nearest } from '../../api/nearest.ts';
import { type Problem, warning } from '../../api/problem.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import { connectionReferences, dataReferences } from '../../model/connection/data-references.ts';
import type { ManifestObject } from './read-manifest.ts';
import type { DeclaredInFile, Manifests } from './manifest-files.ts';

const CONNECTIONS = [CONNECTION_KIND, CLUSTER_CONNECTION_KIND];

/** References to objects that are not declared. */
export interface MissingReferences {
  /** Warnings for references to kinds that some document declares. */
  readonly problems: readonly FileProblem[];
  /**
   * References to kinds that no document declares, each once. They are probably kept elsewhere, so they cause no
   * warning.
   */
  readonly undeclared: readonly Key[];
}

interface Missing {
  readonly wanted: Key;
  /** Absent if no document declares this kind. */
  readonly problem?: Problem;
}

/** Finds the Connections, Secrets and ConfigMaps that are named but not declared. */
export function missingReferences({ declared }: Pick<Manifests, 'declared'>): MissingReferences {
  const names = new DeclaredNames([...declared.values()].map(({ key }) => key));
  const problems: FileProblem[] = [];
  const undeclared = new Map<string, Key>();
  for (const each of declared.values()) {
    for (const { wanted, problem } of [
      ...missingConnection(each.object, names),
      ...missingData(each.object, names),
    ]) {
      if (problem === undefined) undeclared.set(keyText(wanted), wanted);
      else problems.push(placed(problem, each));
    }
  }
  return { problems, undeclared: [...undeclared.values()] };
}

/** The most names that are compared to suggest a similar one. In a very large set, the first suggestions suffice. */
const MOST_COMPARED = 20_000;

/** Finds declared objects by kind and namespace. */
class DeclaredNames {
  /** Names by kind and namespace. */
  readonly #names = new Map<string, Map<string, Set<string>>>();
  #compared = 0;

  constructor(keys: readonly Key[]) {
    for (const { kind, namespace, name } of keys) {
      const spaces = this.#names.get(kind) ?? new Map<string, Set<string>>();
      this.#names.set(kind, spaces);
      spaces.set(namespace, (spaces.get(namespace) ?? new Set()).add(name));
    }
  }

  /** True if an object of this kind is declared. */
  hasKind(kind: string): boolean {
    return this.#names.has(kind);
  }

  /** True if the object is declared in the namespace or, for undefined, in any namespace. */
  has(kind: string, namespace: string | undefined, name: string): boolean {
    return this.#sets([kind], namespace).some((names) => names.has(name));
  }

  /**
   * Returns the most similar name of these kinds, or undefined if none is close or the limit of comparisons is reached.
   */
  nearest(name: string, kinds: readonly string[], namespace: string | undefined): string | undefined {
    const names: string[] = [];
    for (const set of this.#sets(kinds, namespace)) {
      if (this.#compared + names.length + set.size > MOST_COMPARED) return undefined;
      names.push(...set);
    }
    this.#compared += names.length;
    return nearest(name, names);
  }

  #sets(kinds: readonly string[], namespace: string | undefined): readonly ReadonlySet<string>[] {
    return kinds.flatMap((kind) => {
      const spaces = this.#names.get(kind);
      return namespace === undefined ? [...(spaces?.values() ?? [])] : (spaces?.get(namespace) ?? []);
    });
  }
}

function placed(problem: Problem, { file, line, column }: DeclaredInFile): FileProblem {
  return { file, line, column, ...problem };
}

function missingConnection(object: ManifestObject, names: DeclaredNames): readonly Missing[] {
  if (object.kind !== DEPLOYMENT_KIND) return [];
  const wanted = connectionReferences(object);
  const found = wanted.some(({ kind, namespace, name }) => names.has(kind, namespace, name));
  const [first] = wanted;
  if (found || first === undefined) return [];
  if (!CONNECTIONS.some((kind) => names.hasKind(kind))) return [{ wanted: first }];
  const { namespace = '' } = object.metadata;
  const close =
    names.nearest(first.name, CONNECTIONS, namespace) ?? names.nearest(first.name, CONNECTIONS, '');
  return [{ wanted: first, problem: missingOf('spec.connectionRef', `uses ${nameOf(first)}`, close) }];
}

function missingData(object: ManifestObject, names: DeclaredNames): readonly Missing[] {
  if ('data' in object) return [];
  // Secrets of a ClusterConnection are in the namespace of the operator, which no manifest names.
  const { namespace } = object.metadata;
  const missing = new Map<string, Missing>();
  for (const { kind, name } of dataReferences(object)) {
    const wanted = { kind, namespace: namespace ?? '', name };
    if (names.has(kind, namespace, name) || missing.has(keyText(wanted))) continue;
    if (names.hasKind(kind)) {
      const close = names.nearest(name, [kind], namespace);
      const problem = missingOf('spec', `takes values from ${nameOf(wanted)}`, close);
      missing.set(keyText(wanted), { wanted, problem });
    } else missing.set(keyText(wanted), { wanted });
  }
  return [...missing.values()];
}

function missingOf(path: string, what: string, close: string | undefined): Problem {
  const expected = `${close === undefined ? 'a document' : `${close}, or a document`} that declares it, unless it is there already`;
  return warning(path, `${what}, which no document here declares`, expected);
}

function nameOf({ kind, namespace, name }: Key): string {
  return [kind, [namespace, name].filter((part) => part !== '').join('/')].join(' ');
}
