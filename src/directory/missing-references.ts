import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND } from '../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../api/deployment.ts';
import { type Key, keyText } from '../api/metadata.ts';
import { nearest } from '../api/nearest.ts';
import { type Problem, warning } from '../api/problem.ts';
import type { FileProblem } from '../model/file-problem.ts';
import { connectionReferences, dataReferences } from '../model/references.ts';
import type { ManifestObject } from './manifest-document.ts';
import type { DeclaredInFile, Manifests } from './manifest-files.ts';

const CONNECTIONS = [CONNECTION_KIND, CLUSTER_CONNECTION_KIND];

/** What is named and not declared. */
export interface MissingReferences {
  /** Warnings, where others of the kind are declared. */
  readonly problems: readonly FileProblem[];
  /** Those of a kind that no document has, each once: they are probably kept elsewhere, so that a warning is too much. */
  readonly undeclared: readonly Key[];
}

interface Missing {
  readonly wanted: Key;
  /** Absent where no document is of this kind. */
  readonly problem?: Problem;
}

/** Connections, Secrets and ConfigMaps that are named and not declared. */
export function missingReferences({ declared }: Pick<Manifests, 'declared'>): MissingReferences {
  const keys = [...declared.values()].map(({ key }) => key);
  const problems: FileProblem[] = [];
  const undeclared = new Map<string, Key>();
  for (const each of declared.values()) {
    for (const { wanted, problem } of [
      ...missingConnection(each.object, keys),
      ...missingData(each.object, keys),
    ]) {
      if (problem === undefined) undeclared.set(keyText(wanted), wanted);
      else problems.push(placed(problem, each));
    }
  }
  return { problems, undeclared: [...undeclared.values()] };
}

function placed(problem: Problem, { file, line, column }: DeclaredInFile): FileProblem {
  return { file, line, column, ...problem };
}

function missingConnection(object: ManifestObject, keys: readonly Key[]): readonly Missing[] {
  if (object.kind !== DEPLOYMENT_KIND) return [];
  const known = keys.filter(({ kind }) => CONNECTIONS.includes(kind));
  const wanted = connectionReferences(object);
  const found = known.some((key) => wanted.some((each) => keyText(each) === keyText(key)));
  const [first] = wanted;
  if (found || first === undefined) return [];
  if (known.length === 0) return [{ wanted: first }];
  return [missingOf('spec.connectionRef', `uses ${nameOf(first)}`, first, usableBy(object, known))];
}

function usableBy({ metadata }: DeploymentResource, connections: readonly Key[]): readonly Key[] {
  return connections.filter(({ namespace }) => namespace === '' || namespace === metadata.namespace);
}

function missingData(object: ManifestObject, keys: readonly Key[]): readonly Missing[] {
  if ('data' in object) return [];
  // Secrets of a ClusterConnection are in the namespace of the operator, which no manifest names.
  const { namespace } = object.metadata;
  const missing = dataReferences(object).flatMap(({ kind, name }) => {
    const known = keys.filter((key) => key.kind === kind);
    const beside = known.filter((key) => namespace === undefined || key.namespace === namespace);
    if (beside.some((key) => key.name === name)) return [];
    const wanted = { kind, namespace: namespace ?? '', name };
    if (known.length === 0) return [{ wanted }];
    return [missingOf('spec', `takes values from ${nameOf(wanted)}`, wanted, beside)];
  });
  return [...new Map(missing.map((each) => [keyText(each.wanted), each])).values()];
}

function missingOf(path: string, what: string, wanted: Key, known: readonly Key[]): Missing {
  const close = nearest(
    wanted.name,
    known.map(({ name }) => name),
  );
  const expected = `${close === undefined ? 'a document' : `${close}, or a document`} that declares it, unless it is there already`;
  return { wanted, problem: warning(path, `${what}, which no document here declares`, expected) };
}

function nameOf({ kind, namespace, name }: Key): string {
  return [kind, [namespace, name].filter((part) => part !== '').join('/')].join(' ');
}
