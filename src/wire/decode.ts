import { SecretValue } from '../model/secret.ts';
import type { WireDeployment, WireSecret, WireSecretReference } from './deployment.ts';
import type { WireJson, WireObject } from './json.ts';
import type { WireDeploymentPage } from './paging.ts';
import type { WireProvider } from './provider.ts';
import type { WireRepository } from './repository.ts';

/** A list of records of which some may have been unusable. */
export interface Decoded<T> {
  readonly items: readonly T[];
  /** Items that were skipped because a field that is relied upon was missing or of another type. */
  readonly malformed: number;
}

/** Keys that would reach into the prototype of an object that is built from them. */
const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** JSON as parsed, without keys that reach into prototypes, at any depth. */
export function safeJson(text: string): WireJson {
  return JSON.parse(text, (key: string, value: unknown) =>
    REFUSED_KEYS.has(key) ? undefined : value,
  ) as WireJson;
}

/** A page of the deployment list (4.3), or undefined where it is none. */
export function decodePage(
  json: WireJson,
): (Omit<WireDeploymentPage, 'resources'> & Decoded<WireDeployment<SecretValue>>) | undefined {
  const page = objectOf(json);
  const resources = page?.['resources'];
  if (!Array.isArray(resources)) return undefined;
  const offset = page?.['offset'];
  return { ...decodeAll(resources, decodeDeployment), ...(typeof offset === 'number' ? { offset } : {}) };
}

/** OAuth providers (2.1, 4.1), or undefined where the answer is no list. */
export function decodeProviders(json: WireJson): Decoded<WireProvider> | undefined {
  return Array.isArray(json) ? decodeAll(json, decodeProvider) : undefined;
}

/** Repositories (2.2, 4.2), or undefined where the answer is no list. */
export function decodeRepositories(json: WireJson): Decoded<WireRepository> | undefined {
  return Array.isArray(json) ? decodeAll(json, decodeRepository) : undefined;
}

/**
 * A deployment (2.3), or undefined where `id` or `name` is missing or a known field has a type it cannot have. What
 * is missing stays missing, null stays null, unknown values of enums are kept; unknown fields are left out.
 */
export function decodeDeployment(json: WireJson): WireDeployment<SecretValue> | undefined {
  const object = objectOf(json);
  if (object === undefined) return undefined;
  const { id, name, source_config, source_revision_config, secrets, secret_references } = object;
  if (typeof id !== 'string' || id === '' || typeof name !== 'string') return undefined;
  const sound =
    TEXTS.every((key) => isTextOrNothing(object[key])) &&
    isObjectOrNothing(source_config) &&
    isSourceConfig(objectOf(source_config)) &&
    isObjectOrNothing(source_revision_config) &&
    isListOrNothing(secrets) &&
    isListOrNothing(secret_references);
  if (!sound) return undefined;
  const decodedSecrets = Array.isArray(secrets) ? secrets.map(decodeSecret) : secrets;
  const references = Array.isArray(secret_references)
    ? secret_references.map(decodeReference)
    : secret_references;
  if (hasGaps(decodedSecrets) || hasGaps(references)) return undefined;
  return {
    ...pick(object, [...TEXTS, 'source_config', 'source_revision_config']),
    id,
    name,
    ...(decodedSecrets === undefined ? {} : { secrets: decodedSecrets }),
    ...(references === undefined ? {} : { secret_references: references }),
  } as WireDeployment<SecretValue>;
}

const TEXTS = [
  'source',
  'tenant_id',
  'created_at',
  'updated_at',
  'status',
  'latest_revision_id',
  'active_revision_id',
  'image_version',
] as const;

function decodeSecret(json: WireJson): WireSecret<SecretValue> | undefined {
  const secret = objectOf(json);
  const name = secret?.['name'];
  if (typeof name !== 'string') return undefined;
  const value = secret?.['value'];
  if (value === undefined) return { name };
  return {
    name,
    value: value === null ? null : new SecretValue(typeof value === 'string' ? value : JSON.stringify(value)),
  };
}

function decodeReference(json: WireJson): WireSecretReference | undefined {
  const { name, secret_name, secret_key } = objectOf(json) ?? {};
  if (typeof name !== 'string' || typeof secret_name !== 'string' || typeof secret_key !== 'string')
    return undefined;
  return { name, secret_name, secret_key };
}

function decodeProvider(json: WireJson): WireProvider | undefined {
  const object = objectOf(json);
  const texts = ['id', 'provider_id', 'name'].every((key) => typeof object?.[key] === 'string');
  return texts ? (object as WireObject & WireProvider) : undefined;
}

function decodeRepository(json: WireJson): WireRepository | undefined {
  const object = objectOf(json);
  const texts = ['host_integration_id', 'name', 'owner', 'url', 'default_branch'];
  const sound = texts.every((key) => typeof object?.[key] === 'string') && typeof object?.['id'] === 'number';
  return sound ? (object as WireObject & WireRepository) : undefined;
}

function decodeAll<T>(items: readonly WireJson[], decode: (item: WireJson) => T | undefined): Decoded<T> {
  const decoded = items.map(decode);
  const sound = decoded.filter((item) => item !== undefined);
  return { items: sound, malformed: decoded.length - sound.length };
}

function objectOf(json: WireJson | undefined): WireObject | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as WireObject) : undefined;
}

function isSourceConfig(config: WireObject | undefined): boolean {
  return isObjectOrNothing(config?.['resource_spec']) && isObjectOrNothing(config?.['listener_config']);
}

function isTextOrNothing(value: WireJson | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isObjectOrNothing(value: WireJson | undefined): boolean {
  return value === undefined || value === null || objectOf(value) !== undefined;
}

function isListOrNothing(value: WireJson | undefined): boolean {
  return value === undefined || value === null || Array.isArray(value);
}

function hasGaps(items: WireJson | readonly unknown[] | undefined): boolean {
  return Array.isArray(items) && items.includes(undefined);
}

function pick(object: WireObject, keys: readonly string[]): WireObject {
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(object, key)).map((key) => [key, object[key] as WireJson]),
  );
}
