import { defined } from '../../base/defined.ts';
import type { RolloutReason, SyncedReason } from '../../api/condition.ts';
import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { type ReasonText, ROLLOUT_TEXTS, SYNCED_TEXTS } from '../../api/generated/reasons.ts';
import { nearest } from '../../api/nearest.ts';
import { displayOf } from '../../model/compare/change.ts';
import { desiredDeployment } from '../../model/desired/desired-deployment.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { Display } from '../../model/desired/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { withoutSensitive } from '../../model/redaction/sensitive.ts';

/** The explanation of a condition for people, with advice. */
export interface Advice extends ReasonText {
  readonly reason: string;
  /** The message of the condition. */
  readonly message: string;
}

/** One line of a resource's spec, without secrets. */
export interface Asked {
  readonly path: string;
  readonly value: string;
}

/** The resource that a person chooses. */
export interface ResourceWish {
  readonly name: string;
  /** The namespaces to search; empty means any. */
  readonly namespaces: readonly string[];
}

/** Returns the chosen resource. Throws an ExpectedError if there is none, or several. */
export function chosenResource(
  resources: readonly DeploymentResource[],
  { name, namespaces }: ResourceWish,
): DeploymentResource {
  const visible = resources.filter(
    ({ metadata }) => namespaces.length === 0 || namespaces.includes(metadata.namespace ?? ''),
  );
  const [found, another] = visible.filter(({ metadata }) => metadata.name === name);
  if (found !== undefined && another === undefined) return found;
  const where = namespaces.length === 0 ? '' : ` in namespace ${namespaces.join(', ')}`;
  if (found !== undefined) {
    throw new ExpectedError(
      `several deployments.dms-operator.dev are called ${name}; give their namespace with -n`,
    );
  }
  const close = nearest(
    name,
    visible.map(({ metadata }) => metadata.name),
  );
  const others = ['none is declared there', 'there is 1 other'][visible.length];
  const hint =
    close === undefined ? (others ?? `there are ${visible.length} others`) : `did you mean ${close}?`;
  throw new ExpectedError(`there is no deployments.dms-operator.dev ${name}${where}; ${hint}`);
}

const TEXTS: Readonly<Record<string, ReasonText>> = { ...SYNCED_TEXTS, ...ROLLOUT_TEXTS } satisfies Record<
  SyncedReason | RolloutReason,
  ReasonText
>;

/** Returns the text of docs/conditions.md about a reason of a deployment resource; undefined if there is none. */
export function textOf(reason: string): ReasonText | undefined {
  return Object.hasOwn(TEXTS, reason) ? TEXTS[reason] : undefined;
}

/** Explains the reasons of the conditions with advice, as docs/conditions.md does. Returns nothing if all is well. */
export function adviceFor({ status }: Pick<DeploymentResource, 'status'>): readonly Advice[] {
  const told = (['Synced', 'Ready'] as const).flatMap(
    (type) => status?.conditions?.find((condition) => condition.type === type) ?? [],
  );
  return told
    .filter(({ reason }, index) => told.findIndex((other) => other.reason === reason) === index)
    .flatMap(({ reason, message }) => {
      const text = textOf(reason);
      return text === undefined || text.todo === NOTHING ? [] : [{ reason, message, ...text }];
    });
}

const NOTHING = 'Nothing.';

/** Returns the command of this program that helps with a reason, for the resource `name`. */
export function commandFor(reason: string, name: string): string | undefined {
  return reason === 'AwaitingApproval' ? `approve ${name}` : undefined;
}

/** Returns the newest revision and its fields as the service shows them; leaves out fields that it does not show. */
export function observedFields(status: DeploymentStatus): readonly Asked[] {
  const { imageVersion, tenantID, latestRevisionID, activeRevisionID, createdTime, updatedTime } = status;
  const config = status.observed?.sourceRevisionConfig ?? {};
  const values = { imageVersion, tenantID, latestRevisionID, activeRevisionID, createdTime, updatedTime };
  return Object.entries({ ...values, ...config })
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([path, value]) => ({ path, value: textForPeople(value) }));
}

/** Blocks that are described field by field. */
const TOLD: ReadonlySet<string> = new Set([
  'sourceConfig',
  'sourceRevisionConfig',
  'secretReferences',
  'secrets',
  'secretsFrom',
]);

/** Describes the spec of a resource: secrets only by their source, and no value that may be a secret. */
export function askedFor({ spec }: Pick<DeploymentResource, 'spec'>): readonly Asked[] {
  const policies = Object.entries(spec).filter(([name]) => !TOLD.has(name));
  const { fields } = desiredDeployment(spec, { kind: 'unmanaged' });
  return [
    ...policies.flatMap(([name, value]) => membersOf(name, value as Json)),
    ...fields.map(({ field, value }) => ({ path: field.path, value: shortly(value, field.display) })),
    ...(spec.secrets ?? []).map((secret) => ({ path: `secrets ${secret.name}`, value: originOf(secret) })),
    ...(spec.secretsFrom ?? []).map(({ secretRef, prefix = '' }) => ({
      path: `secretsFrom ${prefix}*`,
      value: `every key of Secret ${secretRef.name}`,
    })),
  ];
}

function membersOf(path: string, value: Json): readonly Asked[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const text = Array.isArray(value) ? value.join(', ') : shortly(value, 'value');
    return [{ path, value: text }];
  }
  return Object.entries(value).map(([name, member]) => ({
    path: `${path}.${name}`,
    value: shortly(member, typeof member === 'object' ? 'changed' : 'value'),
  }));
}

/** Returns only the size of a command, a list or a map, since they may contain hidden values. */
function shortly(value: Json, how: Display): string {
  return displayOf(value, how).replace(/^changed \((.*)\)$/, '$1');
}

type DeclaredSecret = NonNullable<DeploymentResource['spec']['secrets']>[number];

function originOf({ valueFrom }: DeclaredSecret): string {
  const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
  if (secretKeyRef !== undefined) return `key ${secretKeyRef.key} of Secret ${secretKeyRef.name}`;
  if (configMapKeyRef !== undefined) return `key ${configMapKeyRef.key} of ConfigMap ${configMapKeyRef.name}`;
  return 'a value in the resource, which is not shown';
}

/** The annotation in which kubectl keeps a copy of the resource, with every value in it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Returns the resource for output to programs, without anything that may be secret. */
export function describable({ apiVersion, kind, metadata, spec, status }: DeploymentResource): object {
  const { name, namespace, generation, labels, annotations } = metadata;
  const { [LAST_APPLIED]: _, ...kept } = annotations ?? {};
  const chosen = { labels, annotations: annotations === undefined ? undefined : kept };
  return {
    ...{ apiVersion, kind, metadata: { name, namespace, generation, ...shownSafely(chosen) } },
    spec: shownSafely(spec),
    status,
    next: adviceFor(defined({ status })),
  };
}

/**
 * Removes sensitive values from an object. Takes an object because an interface without an index signature is no JSON
 * to the compiler.
 */
function shownSafely(value: object): object {
  return withoutSensitive(JSON.parse(JSON.stringify(value)) as Json) as JsonObject;
}
