import { defined } from '../../base/defined.ts';
import type { DeploymentResource, DeploymentSpec } from '../../api/deployment.ts';
import { FIELDS, type Field } from './fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/** A Secret or ConfigMap and the version that was read. */
export interface ReadReference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The resolved secrets that a resource declares. */
export type DesiredSecrets =
  /** Neither `secrets` nor `secretsFrom` is present: secrets are never sent and never compared. */
  | { readonly kind: 'unmanaged' }
  /** A required source is missing: a shorter list would delete secrets, so none is sent (H19). */
  | {
      readonly kind: 'missing';
      readonly what: readonly string[];
      /** The existing values: they are not sent, but no error may repeat them. */
      readonly values: ReadonlyMap<string, SecretValue>;
    }
  | {
      readonly kind: 'resolved';
      readonly values: ReadonlyMap<string, SecretValue>;
      readonly references: readonly ReadReference[];
    };

/** A managed field and its desired value; `null` if `spec.clear` asks to empty it. */
export interface DesiredField {
  readonly field: Field;
  readonly value: Json;
  /** True if the value comes from `spec.clear`: it is sent as an explicit null. */
  readonly cleared: boolean;
}

/** The spec in canonical form: only managed fields, in a fixed order. */
export interface DesiredDeployment {
  readonly source: string;
  readonly revisionSource?: string;
  readonly fields: readonly DesiredField[];
  readonly secrets: DesiredSecrets;
}

/** The way to find a deployment: by its id once it is known, or else by its exact name. */
export type Identity =
  { readonly by: 'id'; readonly id: string } | { readonly by: 'name'; readonly name: string };

/** Returns the values that a spec asks for. A field absent from the spec is unmanaged. */
export function desiredDeployment(spec: DeploymentSpec, secrets: DesiredSecrets): DesiredDeployment {
  const cleared = new Set<string>(spec.clear ?? []);
  const fields: DesiredField[] = [];
  for (const field of FIELDS) {
    const value = declared(spec, field);
    if (value !== undefined && value !== null) fields.push({ field, value, cleared: false });
    else if (cleared.has(field.path)) fields.push({ field, value: null, cleared: true });
  }
  return {
    source: spec.source,
    ...defined({ revisionSource: spec.revisionSource }),
    fields,
    secrets,
  };
}

/**
 * Returns how to find the deployment of a resource: by the pinned id, or else the reference, or else the resource's
 * own name.
 */
export function identityOf(resource: DeploymentResource): Identity {
  const pinned = resource.status?.deploymentID;
  const reference = resource.spec.deploymentRef;
  if (reference?.id !== undefined && (pinned === undefined || mayRebind(resource))) {
    return { by: 'id', id: reference.id };
  }
  if (pinned !== undefined) return { by: 'id', id: pinned };
  return { by: 'name', name: reference?.name ?? resource.metadata.name };
}

/**
 * Returns the name of the deployment that a resource declares: the name in its reference, or the resource's own name;
 * undefined if it refers to an id.
 */
export function declaredName({ spec, metadata }: DeploymentResource): string | undefined {
  return spec.deploymentRef?.id === undefined ? (spec.deploymentRef?.name ?? metadata.name) : undefined;
}

/**
 * Returns the name that a resource declares, and the one by which it was bound if that was another one: it occupies both.
 */
export function occupiedNames(resource: DeploymentResource): readonly string[] {
  const names = [declaredName(resource), resource.status?.binding?.reference];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Returns the reference of a resource to its deployment, as one text: an id or a name. */
export function referenceOf(resource: DeploymentResource): string {
  return declaredName(resource) ?? resource.spec.deploymentRef?.id?.toLowerCase() ?? '';
}

/** Reasons that arise without a look at the deployment, and so say nothing about it. */
const NOT_LOOKED_AT = new Set(['ConnectionNotFound', 'ConnectionNotReady', 'Paused', 'InvalidSpec']);

/**
 * True if a resource may bind to a new id: only after `NotFound` (H26), even if the service could not be read again
 * since.
 */
function mayRebind({ status }: DeploymentResource): boolean {
  const reason = status?.conditions?.find(({ type }) => type === 'Synced')?.reason ?? '';
  return reason === 'NotFound' || (status?.missingSinceTime !== undefined && NOT_LOOKED_AT.has(reason));
}

function declared(spec: DeploymentSpec, field: Field): Json | undefined {
  switch (field.block) {
    case 'sourceConfig':
      return member(spec.sourceConfig, field.name);
    case 'resourceSpec':
      return member(spec.sourceConfig?.resourceSpec, field.name);
    case 'sourceRevisionConfig':
      return member(spec.sourceRevisionConfig, field.name);
    case 'secretReferences':
      return spec.secretReferences;
  }
}

function member(object: unknown, name: string): Json | undefined {
  return isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}
