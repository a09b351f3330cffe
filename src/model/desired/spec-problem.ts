import { controlNames } from '../../api/control-names.ts';
import type { DeploymentSpec } from '../../api/deployment.ts';
import type { Edition } from '../connection/connection.ts';
import { FIELDS } from './fields.ts';
import { isDeeperThan } from '../../base/json.ts';

/** The maximum depth of a manifest. */
const MAX_DEPTH = 64;

/**
 * Returns the problem that makes a spec unusable at any service, beyond what the schema already refuses; else
 * undefined.
 */
export function specProblem(spec: DeploymentSpec, edition: Edition): string | undefined {
  return depthProblem(spec) ?? nameProblem(spec) ?? editionProblem(spec, edition) ?? clearProblem(spec);
}

/**
 * Returns a problem if free-form parts are nested too deeply: the API server allows more depth than the operator can
 * compare.
 */
function depthProblem(spec: DeploymentSpec): string | undefined {
  return isDeeperThan(MAX_DEPTH, spec) ? `spec is nested deeper than ${MAX_DEPTH} levels` : undefined;
}

function nameProblem(spec: DeploymentSpec): string | undefined {
  const [path] = controlNames(spec);
  return path === undefined ? undefined : `${path} has a control character, such as a line end`;
}

/**
 * Returns a problem if a source does not fit the edition. Section 2.3: external_container only for self-hosted
 * deployments, the other sources only for hosted ones.
 */
function editionProblem({ source }: DeploymentSpec, edition: Edition): string | undefined {
  if (edition === 'Unknown') return undefined;
  const external = source === 'external_container';
  if (external === (edition === 'SelfHosted')) return undefined;
  return `spec.source is ${source}, which the connection's edition ${edition} does not have`;
}

function clearProblem(spec: DeploymentSpec): string | undefined {
  for (const path of spec.clear ?? []) {
    if (!FIELDS.some((field) => field.path === path)) return `spec.clear names ${path}, which is not a field`;
    if (valueAt(spec, path) !== undefined) return `spec.clear names ${path}, which also has a value`;
  }
  return undefined;
}

function valueAt(spec: object, path: string): unknown {
  let current: unknown = spec;
  for (const part of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Readonly<Record<string, unknown>>)[part];
  }
  return current;
}
