import {
  RESOURCE_SPEC_LISTS,
  RESOURCE_SPEC_NUMBERS,
  RESOURCE_SPEC_OBJECTS,
  SOURCE_CONFIG_FLAGS,
  SOURCE_CONFIG_STRINGS,
  SOURCE_REVISION_CONFIG_STRINGS,
  type WireDeployment,
} from './deployment.ts';
import {
  ANY,
  type Check,
  FLAG,
  ID,
  ID_IN_PATH,
  isTooDeep,
  LIST,
  NUMBER,
  OBJECT,
  OBJECTS,
  problemIn,
  Reading,
  TEXT,
} from './reading.ts';
import type { WireJson, WireObject } from './wire-json.ts';
import type { WireProvider } from './wire-provider.ts';
import type { WireRepository } from './wire-repository.ts';

/** An unusable item of a list. */
export interface Malformed {
  /** Distinguishes the item from others: its id if it has one, otherwise its text. Must never be shown. */
  readonly key: string;
  /** The field and its expected type, without the value. */
  readonly problem: string;
  /** The id and the name of the item, if they are readable. */
  readonly id?: string;
  readonly name?: string;
}

/** A list of records, some of which may have been unusable. */
export interface Decoded<T> {
  readonly items: readonly T[];
  readonly malformed: readonly Malformed[];
  /** The number of occurrences of each field that the specification does not name. */
  readonly unknownFields: ReadonlyMap<string, number>;
}

/** A page of the deployment list (4.3). The offset is absent if the answer contains no usable one. */
export interface DecodedPage<Value> extends Decoded<WireDeployment<Value>> {
  readonly offset?: number;
}

/** Turns the text of a secret into an opaque value. */
export type Seal<Value> = (text: string) => Value;

const DEPLOYMENT: ReadonlyMap<string, Check> = new Map([
  ...fields(['id'], ID_IN_PATH),
  ...fields(['tenant_id', 'latest_revision_id', 'active_revision_id'], ID),
  ...fields(['name', 'source', 'created_at', 'updated_at', 'status', 'image_version'], TEXT),
  ...fields(['source_config', 'source_revision_config'], OBJECT),
  ...fields(['secrets', 'secret_references'], OBJECTS),
]);

/** A block whose unknown keys are kept, since they are sent back as they were shown. */
interface Block {
  readonly path: string;
  readonly table: ReadonlyMap<string, Check>;
}

const SOURCE_CONFIG: Block = {
  path: 'source_config.',
  table: new Map([
    ...fields(SOURCE_CONFIG_STRINGS, TEXT),
    ...fields(SOURCE_CONFIG_FLAGS, FLAG),
    ...fields(['resource_spec', 'listener_config'], OBJECT),
  ]),
};

const RESOURCE_SPEC: ReadonlyMap<string, Check> = new Map([
  ...fields(RESOURCE_SPEC_NUMBERS, NUMBER),
  ...fields(RESOURCE_SPEC_OBJECTS, OBJECT),
  ...fields(RESOURCE_SPEC_LISTS, OBJECTS),
  ...fields(['service_account_name'], TEXT),
]);

const LISTENER_CONFIG: ReadonlyMap<string, Check> = new Map(fields(['k8s_namespace'], TEXT));

const SOURCE_REVISION_CONFIG: Block = {
  path: 'source_revision_config.',
  table: new Map([...fields(SOURCE_REVISION_CONFIG_STRINGS, TEXT), ...fields(['repo_commit_sha'], ID)]),
};

const REFERENCE: ReadonlyMap<string, Check> = new Map(fields(['name', 'secret_name', 'secret_key'], TEXT));

const SECRET: ReadonlyMap<string, Check> = new Map([...fields(['name'], TEXT), ...fields(['value'], ANY)]);

const PROVIDER: ReadonlyMap<string, Check> = new Map([
  ...fields(['id', 'organization_id', 'provider_id', 'name', 'client_id', 'auth_url', 'token_url'], TEXT),
  ...fields(['code_challenge_method', 'created_at', 'updated_at', 'provider_type', 'mcp_server_url'], TEXT),
  ...fields(['token_endpoint_auth_method'], TEXT),
  ...fields(['uses_pkce', 'is_dynamic_client'], FLAG),
]);

const REPOSITORY: ReadonlyMap<string, Check> = new Map([
  ...fields(['host_integration_id', 'name', 'owner', 'url', 'default_branch'], TEXT),
  ...fields(['id'], NUMBER),
]);

/** Decodes a page of the deployment list (4.3). Returns undefined if the answer is not a page. */
export function decodePage<Value>(json: WireJson, seal: Seal<Value>): DecodedPage<Value> | undefined {
  if (!OBJECT.test(json)) return undefined;
  const { resources, offset } = json as WireObject;
  if (!LIST.test(resources)) return undefined;
  const page = decodeAll(resources as readonly WireJson[], (item, reading) =>
    deploymentIn(item, reading, seal),
  );
  return typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0
    ? { ...page, offset }
    : page;
}

/** Decodes OAuth providers (2.1, 4.1). Returns undefined if the answer is not a list. */
export function decodeProviders(json: WireJson): Decoded<WireProvider> | undefined {
  return decodeList(json, PROVIDER, ['id', 'provider_id', 'name']);
}

/** Decodes repositories (2.2, 4.2). Returns undefined if the answer is not a list. */
export function decodeRepositories(json: WireJson): Decoded<WireRepository> | undefined {
  return decodeList(json, REPOSITORY, [...REPOSITORY.keys()]);
}

/**
 * Decodes a deployment (2.3), or returns undefined if a field has the wrong type. `id` and `name` are required. Every
 * other field may be absent and stays absent, or may be null and stays null. Unknown values of enums are kept. Unknown
 * fields are dropped, except inside the two config objects, `resource_spec`, `listener_config` and the free-form
 * objects.
 */
export function decodeDeployment<Value>(
  json: WireJson,
  seal: Seal<Value>,
): WireDeployment<Value> | undefined {
  return decodeAll([json], (item, reading) => deploymentIn(item, reading, seal)).items[0];
}

function deploymentIn<Value>(json: WireJson, reading: Reading, seal: Seal<Value>): WireDeployment<Value> {
  const object = reading.object(json, '');
  reading.refuseUnsafe(object, '');
  const known = reading.known(object, DEPLOYMENT, '');
  reading.require(known, ['id', 'name']);
  const { source_config, source_revision_config, secrets, secret_references } = known;
  const decoded: unknown = {
    ...known,
    ...optional('source_config', source_config, (config) => sourceConfigIn(config, reading)),
    ...optional('source_revision_config', source_revision_config, (config) =>
      configIn(config, SOURCE_REVISION_CONFIG, reading),
    ),
    ...optional('secrets', secrets, (list) => secretsIn(list, reading, seal)),
    ...optional('secret_references', secret_references, (list) => referencesIn(list, reading)),
  };
  return decoded as WireDeployment<Value>;
}

function referencesIn(list: WireJson, reading: Reading): readonly WireObject[] {
  return (list as readonly WireObject[]).map((item, n) => {
    const reference = reading.known(item, REFERENCE, `secret_references[${n}].`);
    reading.require(reference, [...REFERENCE.keys()], `secret_references[${n}].`);
    return reference;
  });
}

function configIn(json: WireJson, { path, table }: Block, reading: Reading): WireObject {
  reading.check(json as WireObject, table, path);
  return reading.sendable(json as WireObject, table);
}

function sourceConfigIn(json: WireJson, reading: Reading): WireObject {
  const config = configIn(json, SOURCE_CONFIG, reading);
  const { resource_spec, listener_config } = config;
  if (OBJECT.test(resource_spec)) {
    reading.check(resource_spec as WireObject, RESOURCE_SPEC, 'source_config.resource_spec.');
    reading.refuseRounded(resource_spec as WireObject, 'source_config.resource_spec');
  }
  if (OBJECT.test(listener_config)) {
    reading.check(listener_config as WireObject, LISTENER_CONFIG, 'source_config.listener_config.');
    reading.refuseRounded(listener_config as WireObject, 'source_config.listener_config');
  }
  return config;
}

/**
 * Decodes secrets. Any value except the one that was sent is a mask (2.7), so a value of another type becomes an opaque
 * text too.
 */
function secretsIn<Value>(
  list: WireJson,
  reading: Reading,
  seal: Seal<Value>,
): readonly { readonly name: WireJson | undefined; readonly value?: Value | null }[] {
  return (list as readonly WireObject[]).map((item, n) => {
    reading.check(item, SECRET, `secrets[${n}].`);
    reading.require(item, ['name'], `secrets[${n}].`);
    const { name, value } = item;
    if (value === undefined) return { name };
    if (value === null) return { name, value };
    return { name, value: seal(typeof value === 'string' ? value : JSON.stringify(value)) };
  });
}

function decodeList<T>(
  json: WireJson,
  table: ReadonlyMap<string, Check>,
  required: readonly string[],
): Decoded<T> | undefined {
  if (!LIST.test(json)) return undefined;
  return decodeAll(json as readonly WireJson[], (item, reading) => {
    const object = reading.object(item, '');
    reading.refuseUnsafe(object, '');
    const known = reading.known(object, table, '');
    reading.require(known, required);
    return known as T;
  });
}

function decodeAll<T>(
  list: readonly WireJson[],
  decode: (item: WireJson, reading: Reading) => T,
): Decoded<T> {
  const items: T[] = [];
  const malformed: Malformed[] = [];
  const reading = new Reading();
  for (const item of list) {
    try {
      items.push(decode(item, reading));
    } catch (error) {
      malformed.push({ key: keyOf(item), problem: problemIn(error), ...identityIn(item) });
    }
  }
  return { items, malformed, unknownFields: reading.unknownFields };
}

function keyOf(item: WireJson): string {
  const id = OBJECT.test(item) ? (item as WireObject)['id'] : undefined;
  if (typeof id === 'string' && id !== '') return id;
  // The text of a deeply nested item would exhaust the stack, so all such items share one key.
  return isTooDeep(item) ? 'nested too deeply' : JSON.stringify(item);
}

/** Returns the id and name of an item, for people and for a resource that looks for it. */
function identityIn(item: WireJson): Pick<Malformed, 'id' | 'name'> {
  if (!OBJECT.test(item)) return {};
  const { id, name } = item as WireObject;
  return {
    ...(ID.test(id) && id !== '' ? { id: id as string } : {}),
    ...(TEXT.test(name) && name !== '' ? { name: name as string } : {}),
  };
}

function optional(
  key: string,
  value: WireJson | undefined,
  convert: (value: WireJson) => unknown,
): Readonly<Record<string, unknown>> {
  return value === undefined || value === null ? {} : { [key]: convert(value) };
}

function fields(names: readonly string[], check: Check): readonly (readonly [string, Check])[] {
  return names.map((name) => [name, check]);
}
