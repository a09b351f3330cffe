import { DEPLOYMENT_KIND, type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import { keyText } from '../../api/metadata.ts';
import { warning } from '../../api/problem.ts';
import { declaredName, referenceOf } from '../../model/desired/desired-deployment.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import { connectionReferences } from '../../model/connection/data-references.ts';
import type { DeclaredInFile, Manifests } from './manifest-files.ts';

/**
 * Warns of resources that name the same deployment through the same connection: the one that binds it first
 * keeps it, and the rest stop. If one gives a name and another an id, only the service can tell.
 */
export function sharedDeployments({ declared }: Pick<Manifests, 'declared'>): readonly FileProblem[] {
  const first = new Map<string, DeclaredInFile>();
  const problems: FileProblem[] = [];
  for (const each of declared.values()) {
    const { object, file, line, column } = each;
    if (object.kind !== DEPLOYMENT_KIND || observesOnly(object)) continue;
    const target = targetOf(object, declared);
    const other = first.get(target);
    first.set(target, other ?? each);
    if (other === undefined) continue;
    const message = `means the same deployment as ${keyText(other.key)} at ${other.file}:${other.line}`;
    problems.push({
      file,
      line,
      column,
      ...warning('spec.deploymentRef', message, 'one resource for each deployment'),
    });
  }
  return problems;
}

function targetOf(resource: DeploymentResource, declared: Manifests['declared']): string {
  const wanted = connectionReferences(resource).map(keyText);
  const connection = wanted.find((text) => declared.has(text)) ?? wanted[0];
  return JSON.stringify([
    connection,
    declaredName(resource) === undefined ? 'id' : 'name',
    referenceOf(resource),
  ]);
}
