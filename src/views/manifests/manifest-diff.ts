import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import type { ConnectionResource } from '../../api/connection.ts';
import { canonicalText, stableText } from '../../model/desired/canonical.ts';
import { type Change, displayOf, revisionBy } from '../../model/compare/change.ts';
import { type DesiredField, desiredDeployment } from '../../model/desired/desired.ts';
import { type Display, SECRETS_PATH } from '../../model/desired/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** The declarations of a manifest. */
type Declared = DeploymentResource | ConnectionResource;

/** The placeholder in a table where a side has no value. */
const ABSENT = '(absent)';

/** The differences between two manifests of one resource, or between one and none. Secrets are named and not shown. */
export function manifestChanges(
  before: Declared | undefined,
  after: Declared | undefined,
): readonly Change[] {
  return [...fieldChanges(asDeployment(before), asDeployment(after)), ...memberChanges(before, after)];
}

function asDeployment(declared: Declared | undefined): DeploymentResource | undefined {
  return declared?.kind === DEPLOYMENT_KIND ? declared : undefined;
}

/** Fields that a request carries, compared as they are with the service. */
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

/** A field that is not declared differs from one that is declared empty. */
function textOf(field: DesiredField | undefined): string | undefined {
  return field === undefined ? undefined : canonicalText(field.value, field.field.shape);
}

function shown(field: DesiredField | undefined): string {
  return field === undefined ? ABSENT : displayOf(field.value, field.field.display);
}

/** Members that hold the fields above. */
const HOLD_FIELDS = new Set(['sourceConfig', 'sourceRevisionConfig', 'secretReferences', 'clear']);

/** Members of a spec that say where values of secrets are. */
const SECRETS: ReadonlySet<string> = new Set([SECRETS_PATH, 'secretsFrom']);

/** Everything else in a spec: policies, references, and the whole spec of a connection. */
function memberChanges(before: Declared | undefined, after: Declared | undefined): readonly Change[] {
  const [was, is] = [before, after].map((declared) => (declared?.spec ?? {}) as JsonObject);
  const ofDeployment = (before ?? after)?.kind === DEPLOYMENT_KIND;
  const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
  return [...names].flatMap((name) => {
    const [from, to] = [was?.[name], is?.[name]];
    const isField = ofDeployment && HOLD_FIELDS.has(name);
    if (isField || stableText(from ?? null) === stableText(to ?? null)) return [];
    // A field that is no longer declared is released, and not sent.
    const revision = ofDeployment && SECRETS.has(name) && to !== undefined ? 'Possible' : 'None';
    return [{ path: name, ...sides(member(name, from), member(name, to)), revision }];
  });
}

/** Two texts that look alike and are not differ in hidden values. */
function sides(from: string, to: string): Pick<Change, 'from' | 'to'> {
  return from === to ? { from, to: `${to} (changed)` } : { from, to };
}

/** Members whose values are numbers, words and names. */
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
