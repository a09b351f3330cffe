import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND } from '../connection.ts';
import { DEPLOYMENT_KIND } from '../deployment.ts';
import { API_VERSION } from '../metadata.ts';
import { asStored } from '../schema/as-stored.ts';
import { controlNames } from '../control-names.ts';
import { error, isRecord, join, type JsonRecord, type Problem, warning } from '../problem.ts';
import { metadataProblems } from './metadata-problems.ts';
import { ruleProblems } from './rules.ts';
import { schemaProblems, UNKNOWN_FIELD } from '../schema/schema-problems.ts';
import { nounFor } from '../schema/pattern-texts.ts';
import { warningsAbout } from '../warnings/warnings-about.ts';

export type { Problem } from '../problem.ts';

const KINDS: readonly string[] = [DEPLOYMENT_KIND, CONNECTION_KIND, CLUSTER_CONNECTION_KIND];

/**
 * Returns every problem of a manifest of one of our kinds that can be found offline: errors of the API server (schema,
 * unknown fields, CEL rules), names that the controller refuses, and warnings. Errors of the schema come first. `old`
 * is the manifest that this one replaces, for the rules about changes. Ignores `status`, which the API server drops on
 * writes too.
 */
export function validateDocument(document: unknown, old?: unknown): Problem[] {
  if (!isRecord(document))
    return [error('', `is ${nounFor(document)}`, 'a resource with apiVersion, kind and spec')];
  const unknownKind = kindProblem(document['apiVersion'], document['kind']);
  if (unknownKind !== undefined) return [unknownKind];
  const { document: stored, dropped } = asStored(document);
  const bySchema = schemaProblems(String(document['kind']), stored);
  const beside = [
    ...metadataProblems(stored['metadata']),
    ...ruleProblems(stored, old),
    ...nameProblems(stored),
    ...dropped.map(nullWarning),
    ...warningsAbout(stored),
  ];
  const known = new Set(bySchema.map(({ path }) => path));
  return [...bySchema, ...beside.filter(({ path }) => !known.has(path))].filter(isNoTypoOf(bySchema));
}

/**
 * Returns a filter. It rejects the problem of a missing field whose name is only misspelt: the misspelling is a problem
 * itself.
 */
function isNoTypoOf(bySchema: readonly Problem[]): (problem: Problem) => boolean {
  const meant = new Set(
    bySchema.flatMap(({ path, message, expected }) =>
      message === UNKNOWN_FIELD ? [join(path.slice(0, Math.max(0, path.lastIndexOf('.'))), expected)] : [],
    ),
  );
  return ({ path }) => !meant.has(path);
}

function nameProblems(document: JsonRecord): readonly Problem[] {
  if (document['kind'] !== DEPLOYMENT_KIND) return [];
  return controlNames(document['spec']).map((path) =>
    error(path, 'has a control character, such as a line end', 'a name on one line'),
  );
}

function nullWarning(path: string): Problem {
  const clearable = /^spec[.]source(Revision)?Config[.]/.test(path);
  const expected = clearable
    ? 'a value, or its path under spec.clear to empty it'
    : 'a value, or no such field';
  return warning(path, 'is null, which is the same as no such field', expected);
}

function kindProblem(apiVersion: unknown, kind: unknown): Problem | undefined {
  if (apiVersion === undefined) return error('apiVersion', 'is missing', API_VERSION);
  if (apiVersion !== API_VERSION) return error('apiVersion', `is ${quoted(apiVersion)}`, API_VERSION);
  if (kind === undefined) return error('kind', 'is missing', `one of ${KINDS.join(', ')}`);
  if (typeof kind !== 'string' || !KINDS.includes(kind)) {
    return error('kind', `is ${quoted(kind)}`, `one of ${KINDS.join(', ')}`);
  }
  return undefined;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : nounFor(value);
}
