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

/**
 * Warnings about connections, Secrets and ConfigMaps that are named and not declared. Of a kind that no document has,
 * nothing is said: who keeps Secrets elsewhere, or looks at a single file, is not told so each time.
 */
export function missingReferences({ declared }: Pick<Manifests, 'declared'>): readonly FileProblem[] {
  const keys = [...declared.values()].map(({ key }) => key);
  return [...declared.values()].flatMap((each) =>
    [...connectionProblems(each.object, keys), ...dataProblems(each.object, keys)].map((problem) =>
      placed(problem, each),
    ),
  );
}

function placed(problem: Problem, { file, line, column }: DeclaredInFile): FileProblem {
  return { file, line, column, ...problem };
}

function connectionProblems(object: ManifestObject, keys: readonly Key[]): readonly Problem[] {
  if (object.kind !== DEPLOYMENT_KIND) return [];
  const known = keys.filter(({ kind }) => CONNECTIONS.includes(kind));
  const wanted = connectionReferences(object);
  const found = known.some((key) => wanted.some((each) => keyText(each) === keyText(key)));
  const [first] = wanted;
  if (known.length === 0 || found || first === undefined) return [];
  return [problemOf('spec.connectionRef', `uses ${nameOf(first)}`, first, usableBy(object, known))];
}

function usableBy({ metadata }: DeploymentResource, connections: readonly Key[]): readonly Key[] {
  return connections.filter(({ namespace }) => namespace === '' || namespace === metadata.namespace);
}

function dataProblems(object: ManifestObject, keys: readonly Key[]): readonly Problem[] {
  if ('data' in object) return [];
  // Secrets of a ClusterConnection are in the namespace of the operator, which no manifest names.
  const { namespace } = object.metadata;
  const missing = dataReferences(object).flatMap(({ kind, name }) => {
    const known = keys.filter((key) => key.kind === kind);
    const beside = known.filter((key) => namespace === undefined || key.namespace === namespace);
    if (known.length === 0 || beside.some((key) => key.name === name)) return [];
    const wanted = { kind, namespace: namespace ?? '', name };
    return [problemOf('spec', `takes values from ${nameOf(wanted)}`, wanted, beside)];
  });
  return [...new Map(missing.map((problem) => [problem.message, problem])).values()];
}

function problemOf(path: string, what: string, wanted: Key, known: readonly Key[]): Problem {
  const close = nearest(
    wanted.name,
    known.map(({ name }) => name),
  );
  const expected = `${close === undefined ? 'a document' : `${close}, or a document`} that declares it, unless it is there already`;
  return warning(path, `${what}, which no document here declares`, expected);
}

function nameOf({ kind, namespace, name }: Key): string {
  return [kind, [namespace, name].filter((part) => part !== '').join('/')].join(' ');
}
