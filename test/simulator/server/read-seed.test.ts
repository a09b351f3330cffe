import { describe, expect, it } from 'vitest';
import { DocumentError } from '../../../src/simulator/values/reader.ts';
import { readSeed } from '../../../src/simulator/server/read-seed.ts';
import { Bench } from '../support.ts';

const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';

/** Returns the error lines for a seed. */
function problemsOf(document: unknown): readonly string[] {
  try {
    readSeed(document);
    return [];
  } catch (error) {
    if (error instanceof DocumentError) return error.problems;
    throw error;
  }
}

describe('a seed', () => {
  it('may be empty', () => {
    expect(readSeed({})).toEqual({
      semantics: {},
      providers: [],
      integrations: [],
      deployments: [],
      faults: [],
      actions: [],
    });
  });

  it('may contain deployments of all five sources, in the names of section 2.3', async () => {
    const bench = new Bench({
      deployments: [
        {
          name: 'agent',
          id: ID,
          tenant_id: ID,
          source: 'external_container',
          source_config: { resource_spec: { cpu: 1, sidecars: [{ name: 'a', image: 'b' }] } },
          source_revision_config: { image_uri: 'i' },
          secrets: [{ name: 'A', value: 'x' }],
          secret_references: [{ name: 'B', secret_name: 'b', secret_key: 'k' }],
          image_version: '1.0',
          status: 'UNUSED',
        },
        ...['codehost', 'internal_container', 'internal_source', 'internal_template'].map((source) => ({
          name: source,
          source,
        })),
      ],
    });
    expect(await bench.listed('agent')).toMatchObject({
      id: ID,
      tenant_id: ID,
      secrets: [{ name: 'A', value: 'x' }],
      secret_references: [{ name: 'B', secret_name: 'b', secret_key: 'k' }],
      image_version: '1.0',
      status: 'UNUSED',
    });
    expect(new Set((await bench.list()).map(({ source }) => source)).size).toBe(5);
  });

  it('may define the admission of callers, beside the switches', () => {
    const seed = readSeed({ semantics: 'masked', auth: { kind: 'header', name: 'X-Api-Key', value: 'k' } });
    expect(seed.semantics).toMatchObject({ secretsEcho: 'stars', auth: { kind: 'header' } });
  });

  it('may request a load beside its own deployments', () => {
    const seed = readSeed({
      deployments: [{ name: 'a', source: 'codehost' }],
      load: { count: 3, prefix: 'many' },
    });
    expect(seed.deployments.map(({ name }) => name)).toEqual(['a', 'many-00000', 'many-00001', 'many-00002']);
  });

  it.each<[unknown, string]>([
    [7, 'the document: is wrong; expected an object'],
    [
      { deployment: [] },
      'deployment: is not known; expected semantics, auth, providers, integrations, deployments, load',
    ],
    [{ deployments: {} }, 'deployments: is wrong; expected a list'],
    [{ deployments: [7] }, 'deployments[0]: is wrong; expected an object'],
    [{ deployments: [{ source: 'codehost' }] }, 'deployments[0].name: must be a string'],
    [{ deployments: [{ name: 'a', source: 'github' }] }, 'deployments[0].source: must be one of codehost'],
    [
      { deployments: [{ name: 'a', source: 'codehost', id: '7' }] },
      'deployments[0].id: is not a UUID; expected one such as',
    ],
    [
      { deployments: [{ name: 'a', source: 'codehost', source_config: { resource_spec: { cpu: '1' } } }] },
      'deployments[0].source_config.resource_spec.cpu: must be a number',
    ],
    [
      { deployments: [{ name: 'a', source: 'codehost', secret_references: [] }] },
      'deployments[0].secret_references: is only applicable for the external_container source (2.7)',
    ],
    [
      { deployments: [{ name: 'a', source: 'codehost', colour: 1 }] },
      'deployments[0].colour: is not known; expected source_config',
    ],
    [
      { deployments: [{ name: 'a', source: 'codehost', semantics: 'x' }] },
      'deployments[0].semantics: x: is not a switch word',
    ],
    [{ providers: [{}] }, 'providers[0].name: is missing; expected a text'],
    [{ integrations: [{ id: 'x' }] }, 'integrations[0].id: is not a UUID'],
    [
      { integrations: [{ id: ID, repositories: [{ name: 'a' }] }] },
      'integrations[0].repositories[0].owner: is missing',
    ],
    [{ semantics: { trigger: 'x' } }, 'semantics.trigger: is wrong; expected one of on-change'],
    [{ auth: { kind: 'header' } }, 'auth.name: is missing'],
    [{ faults: [{ fault: { kind: 'x' } }] }, 'faults[0].fault.kind: is wrong; expected one of delay'],
    [{ actions: [{ action: { kind: 'push', name: 'a' } }] }, 'actions[0].action.commit: is missing'],
    [{ load: { count: -1 } }, 'load.count: is wrong; expected a whole number from 0 to 100000'],
    [{ load: { count: 1e12 } }, 'load.count: is wrong; expected a whole number from 0 to 100000'],
  ])('that is wrong is told where and how: %j', (document, message) => {
    expect(problemsOf(document).join('\n')).toContain(message);
  });

  it('reports all errors at once, one line each, and each error once', () => {
    expect(problemsOf({ semantics: 'x', load: {}, deployments: [{ name: 'a', source: 'b' }] })).toHaveLength(
      3,
    );
  });
});
