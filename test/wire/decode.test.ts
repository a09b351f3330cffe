import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeDeployment, decodePage, decodeProviders, decodeRepositories } from '../../src/wire/decode.ts';
import type { WireJson, WireObject } from '../../src/wire/wire-json.ts';

const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';

/** Stands for the opaque type of secret texts. */
const seal = (text: string) => ({ sealed: text });

const LEAST = { id: ID, name: 'agent' };

/** A request with every field. */
const ALL_FIELDS = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'reconcile', 'golden', 'all-fields.json'), 'utf8'),
) as WireObject;

function isObject(value: WireJson | undefined): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberOf(value: WireJson | undefined, key: string): WireJson | undefined {
  return isObject(value) ? value[key] : undefined;
}

function deployment(more: WireObject) {
  return decodeDeployment({ ...LEAST, ...more }, seal);
}

/** Returns the message about the only item of a page, which is unusable. */
function problem(item: WireJson): string | undefined {
  return decodePage({ resources: [item] }, seal)?.malformed[0]?.problem;
}

describe('a deployment on the wire', () => {
  it('requires only an id and a name, since list items lack other fields', () => {
    expect(decodeDeployment(LEAST, seal)).toEqual(LEAST);
  });

  it('distinguishes null from a missing field', () => {
    const decoded = deployment({ source: null, latest_revision_id: null, secret_references: null });
    expect(decoded).toEqual({ ...LEAST, source: null, latest_revision_id: null, secret_references: null });
    expect(decoded).not.toHaveProperty('status');
    expect(decoded).not.toHaveProperty('active_revision_id');
  });

  it('keeps unknown values of enums', () => {
    expect(deployment({ source: 'internal_quantum', status: 'HIBERNATING' })).toMatchObject({
      source: 'internal_quantum',
      status: 'HIBERNATING',
    });
  });

  it('converts secret values into an opaque type, including masks of any type', () => {
    const secrets = [
      { name: 'PLAIN', value: 'alpha' },
      { name: 'EMPTY', value: '' },
      { name: 'NULL', value: null },
      { name: 'ABSENT' },
      { name: 'ODD', value: { masked: true } },
    ];
    expect(deployment({ secrets })?.secrets).toEqual([
      { name: 'PLAIN', value: { sealed: 'alpha' } },
      { name: 'EMPTY', value: { sealed: '' } },
      { name: 'NULL', value: null },
      { name: 'ABSENT' },
      { name: 'ODD', value: { sealed: '{"masked":true}' } },
    ]);
  });

  it('keeps unknown keys if they are sent back, and drops them elsewhere', () => {
    const decoded = deployment({
      deployment_type: 'prod',
      source_config: {
        colour: 'blue',
        serial: [2 ** 53 + 2],
        resource_spec: { cpu: 1, gpu: 2, labels: { my_label: 'a' } },
        listener_config: { k8s_namespace: 'n', zone: 'b' },
      },
      source_revision_config: { repo_ref: 'main', built_by: 'someone' },
    });
    expect(decoded).toEqual({
      ...LEAST,
      source_config: {
        colour: 'blue',
        resource_spec: { cpu: 1, gpu: 2, labels: { my_label: 'a' } },
        listener_config: { k8s_namespace: 'n', zone: 'b' },
      },
      source_revision_config: { repo_ref: 'main', built_by: 'someone' },
    });
  });

  it.each<[because: string, item: WireJson, says: string]>([
    ['no object', 'agent', 'item: expected an object'],
    ['null', null, 'item: expected an object'],
    ['no id', { name: 'agent' }, 'id: is missing'],
    ['null as id', { id: null, name: 'agent' }, 'id: is missing'],
    ['an empty name', { id: ID, name: '' }, 'name: is missing'],
    ['a number as id', { id: 7, name: 'agent' }, 'id: expected a short id'],
    ['a number as status', { ...LEAST, status: 1 }, 'status: expected a string'],
    ['a list as source_config', { ...LEAST, source_config: [] }, 'source_config: expected an object'],
    [
      'a text as flag',
      { ...LEAST, source_config: { build_on_push: 'yes' } },
      'source_config.build_on_push: expected a boolean',
    ],
    [
      'a text as number',
      { ...LEAST, source_config: { resource_spec: { cpu: '1' } } },
      'source_config.resource_spec.cpu: expected a number',
    ],
    [
      'a number that no JSON text can carry back',
      { ...LEAST, source_config: { resource_spec: { cpu: Number.POSITIVE_INFINITY } } },
      'source_config.resource_spec.cpu: expected a number',
    ],
    ['an id that moves a cursor', { ...LEAST, id: 'a\u001b[31m' }, 'id: expected a short id'],
    [
      'an endless id of a revision',
      { ...LEAST, latest_revision_id: 'a'.repeat(129) },
      'latest_revision_id: expected a short id',
    ],
    [
      'a list as labels',
      { ...LEAST, source_config: { resource_spec: { labels: [] } } },
      'source_config.resource_spec.labels: expected an object',
    ],
    [
      'texts as sidecars',
      { ...LEAST, source_config: { resource_spec: { sidecars: ['a'] } } },
      'source_config.resource_spec.sidecars: expected a list of objects',
    ],
    [
      'a number as namespace',
      { ...LEAST, source_config: { listener_config: { k8s_namespace: 1 } } },
      'source_config.listener_config.k8s_namespace: expected a string',
    ],
    ['an object as secrets', { ...LEAST, secrets: {} }, 'secrets: expected a list of objects'],
    ['a secret without a name', { ...LEAST, secrets: [{ value: 'hidden' }] }, 'secrets[0].name: is missing'],
    [
      'half a reference',
      { ...LEAST, secret_references: [{ name: 'a', secret_name: 'b' }] },
      'secret_references[0].secret_key: is missing',
    ],
  ])('with %s cannot be used', (_, item, says) => {
    expect(problem(item)).toBe(says);
  });

  it.each(['source_config', 'source_config.resource_spec', 'source_revision_config'])(
    'with a value of the wrong type in any field of %s is unusable',
    (path) => {
      const block = path.split('.').reduce<WireJson | undefined>(memberOf, ALL_FIELDS);
      const keys = Object.keys((block ?? {}) as WireObject);
      expect(keys.length).toBeGreaterThan(3);
      for (const key of keys) {
        // An object is not a text, number or flag, nor a list, and a flag is not an object.
        const other = isObject(memberOf(block, key)) ? true : {};
        const wrong = path
          .split('.')
          .reduceRight<WireObject>((inner, name) => ({ [name]: inner }), { [key]: other });
        expect(problem({ ...LEAST, ...wrong }), `name the kind of ${key} in src/wire/decode.ts`).toContain(
          key,
        );
      }
    },
  );

  it('never repeats a value in what it says', () => {
    expect(problem({ ...LEAST, status: { deep: 'hidden' }, name: 'agent' })).not.toContain('hidden');
  });
});

describe('an id', () => {
  it.each(['.', '..'])('that would make another path of a request makes an item unusable: %s', (id) => {
    expect(problem({ ...LEAST, id })).toBe('id: expected a short id');
  });
});

describe('keys that reach into prototypes', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('make an item unusable at any depth: %s', (key) => {
    const labels = JSON.parse(`{"${key}":{"polluted":true}}`) as WireObject;
    const page = decodePage(
      {
        resources: [
          { ...LEAST, source_config: { resource_spec: { labels } } },
          { ...LEAST, id: 'other' },
        ],
      },
      seal,
    );
    expect(page?.items.map(({ id }) => id)).toEqual(['other']);
    expect(page?.malformed[0]?.problem).toContain(`${key}: is a key that cannot be taken over`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('are not mistaken for known fields', () => {
    expect(deployment({ toString: 'text', hasOwnProperty: 1 })).toEqual(LEAST);
  });

  it('are searched without exhausting the stack', () => {
    const depth = 50_000;
    const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as WireJson;
    expect(problem({ ...LEAST, source_config: { resource_spec: { labels: deep } } })).toContain(
      'nested too deeply',
    );
  });
});

describe('a page of deployments', () => {
  it('skips unreadable items, and counts them', () => {
    const page = decodePage({ resources: [LEAST, { id: 'broken' }, null], offset: 3 }, seal);
    expect(page?.items).toEqual([LEAST]);
    expect(page?.malformed.map(({ key }) => key)).toEqual(['broken', 'null']);
    expect(page?.offset).toBe(3);
  });

  it('counts unknown fields by name', () => {
    const page = decodePage(
      {
        resources: [
          { ...LEAST, deployment_type: 'prod' },
          {
            ...LEAST,
            deployment_type: 'dev',
            secret_references: [{ name: 'a', secret_name: 'b', secret_key: 'c', x: 1 }],
          },
        ],
      },
      seal,
    );
    expect([...(page?.unknownFields ?? [])]).toEqual([
      ['deployment_type', 2],
      ['secret_references[].x', 1],
    ]);
  });

  it.each<[string, WireJson]>([
    ['missing', { resources: [] }],
    ['null', { resources: [], offset: null }],
    ['a text', { resources: [], offset: '100' }],
    ['a fraction', { resources: [], offset: 1.5 }],
    ['negative', { resources: [], offset: -1 }],
  ])('has no offset that can be used when it is %s', (_, json) => {
    expect(decodePage(json, seal)).not.toHaveProperty('offset');
  });

  it.each<[string, WireJson]>([
    ['a list', []],
    ['an object without resources', { items: [] }],
    ['an object whose resources are no list', { resources: {} }],
    ['null', null],
    ['a text', 'resources'],
  ])('is not %s', (_, json) => {
    expect(decodePage(json, seal)).toBeUndefined();
  });
});

describe('a number that JSON cannot send back', () => {
  it('makes an item unusable anywhere, since it would be sent as null', () => {
    const item = JSON.parse('{"source_config":{"resource_spec":{"gpu":[1e400]}}}') as WireObject;
    expect(problem({ ...LEAST, ...item })).toBe('source_config.resource_spec.gpu.0: expected a number');
  });
});

describe('a number with more digits than a JavaScript number can hold', () => {
  const within = (text: string): WireObject => JSON.parse(`{"source_config":${text}}`) as WireObject;

  it.each([
    ['resource_spec', '{"resource_spec":{"budget":{"tokens":[9007199254740993]}}}', '.budget.tokens.0'],
    ['listener_config', '{"listener_config":{"zone":-9007199254740993}}', '.zone'],
  ])('makes an item unusable in %s, where it would be sent back rounded', (block, text, place) => {
    expect(problem({ ...LEAST, ...within(text) })).toBe(
      `source_config.${block}${place}: has more digits than can be sent back`,
    );
  });

  it('is harmless if it keeps all its digits, or is not sent back', () => {
    const kept = within(
      '{"resource_spec":{"budget":9007199254740991,"share":0.1},"revision":9007199254740993}',
    );
    expect(problem({ ...LEAST, ...kept, serial: JSON.parse('9007199254740993') as number })).toBeUndefined();
  });
});

describe('the field names of a service', () => {
  const long = 'k'.repeat(100_000);

  it('cannot make problems or unknown fields arbitrarily long', () => {
    expect(problem({ ...LEAST, source_config: { [long]: { constructor: 1 } } })?.length).toBeLessThan(200);
    const page = decodePage({ resources: [{ ...LEAST, [long]: 1 }] }, seal);
    expect([...(page?.unknownFields.keys() ?? [])].map((name) => name.length)).toEqual([120]);
  });

  it('nor with their depth to make the items beside them unusable', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as WireJson;
    const page = decodePage({ resources: [LEAST, deep, { no_id: deep }, { ...LEAST, id: 'other' }] }, seal);
    expect(page?.items.map(({ id }) => id)).toEqual([ID, 'other']);
    expect(page?.malformed).toHaveLength(2);
  });
});

describe('providers', () => {
  const provider = {
    id: 'p1',
    organization_id: 'o',
    provider_id: 'github-prod',
    name: 'GitHub',
    client_id: 'c',
    auth_url: 'https://a.example.com',
    token_url: 'https://t.example.com',
    uses_pkce: true,
    code_challenge_method: null,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };

  it('are read with every field of 2.1, including optional ones', () => {
    const full = {
      ...provider,
      provider_type: 'github',
      mcp_server_url: null,
      token_endpoint_auth_method: 'client_secret_post',
      is_dynamic_client: false,
    };
    expect(decodeProviders([provider, full])?.items).toEqual([provider, full]);
  });

  it('that have no name or a field of another type are skipped', () => {
    const list = decodeProviders([{ ...provider, name: null }, { ...provider, uses_pkce: 'yes' }, provider]);
    expect(list?.items).toEqual([provider]);
    expect(list?.malformed.map(({ problem: said }) => said)).toEqual([
      'name: is missing',
      'uses_pkce: expected a boolean',
    ]);
  });

  it('are a list, not an object', () => {
    expect(decodeProviders({ providers: [] })).toBeUndefined();
  });
});

describe('repositories', () => {
  const repository = {
    host_integration_id: ID,
    id: 7,
    name: 'agent',
    owner: 'acme',
    url: 'https://codehost.example.com/acme/agent',
    default_branch: 'main',
  };

  it('require every field of 2.2', () => {
    for (const field of Object.keys(repository)) {
      const { [field as keyof typeof repository]: _, ...rest } = repository;
      const list = decodeRepositories([rest, repository]);
      expect(list?.items, field).toEqual([repository]);
      expect(list?.malformed[0]?.problem).toBe(`${field}: is missing`);
    }
  });

  it('may have the id 0', () => {
    expect(decodeRepositories([{ ...repository, id: 0 }])?.items).toHaveLength(1);
  });
});
