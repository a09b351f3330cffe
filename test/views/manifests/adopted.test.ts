import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { validateDocument } from '../../../src/api/checks/validate-document.ts';
import { type Adopted, adopted, type AdoptionOptions } from '../../../src/views/manifests/adopted.ts';
import { type Field, FIELDS } from '../../../src/model/desired/fields.ts';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import type { ObservedDeployment, SecretReference } from '../../../src/model/external/observation.ts';
import { makePlan } from '../../../src/model/decide/make-plan.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { anObserved, aResource, aSituation, ID } from '../../support/resources/builders.ts';

const OPTIONS: AdoptionOptions = {
  name: 'support-agent',
  connection: { kind: 'Connection', name: 'default' },
  ambiguous: false,
  withSecrets: false,
};

function manifestOf(observed: ObservedDeployment, options: Partial<AdoptionOptions> = {}): Adopted {
  const found = adopted(observed, { ...OPTIONS, ...options });
  if (found.kind !== 'adopted') throw new Error(found.why);
  return found;
}

function specOf(observed: ObservedDeployment, options: Partial<AdoptionOptions> = {}): Json | undefined {
  return manifestOf(observed, options).document['spec'];
}

/** Returns the shown values of these fields, by path. */
function showing(values: Readonly<Record<string, Json>>, source = 'external_container'): ObservedDeployment {
  const block = (name: Field['block']): JsonObject =>
    Object.fromEntries(
      FIELDS.filter((field) => field.block === name && values[field.path] !== undefined).map((field) => [
        field.name,
        values[field.path] as Json,
      ]),
    );
  const references = values['secretReferences'] as readonly SecretReference[] | undefined;
  return anObserved({
    source,
    sourceConfig: {
      fields: block('sourceConfig'),
      resourceSpec: { fields: block('resourceSpec'), unknown: {} },
    },
    sourceRevisionConfig: { fields: block('sourceRevisionConfig') },
    ...(references === undefined ? {} : { secretReferences: references }),
  });
}

const CONTAINER = { name: 'proxy', image: 'proxy:1', env: [{ name: 'LEVEL', value: 'info' }] };

describe('the manifest of a deployment', () => {
  it('contains the shown values, under the names and in the order of the resource', () => {
    const observed = showing({
      'sourceRevisionConfig.imageURI': 'registry.example.com/agent:1',
      'sourceConfig.listenerConfig': { k8sNamespace: 'agents' },
      'sourceConfig.resourceSpec.cpu': 2,
      'sourceConfig.resourceSpec.sidecars': [{ ...CONTAINER, command: null }],
    });
    expect(JSON.stringify(manifestOf(observed, { namespace: 'team-a' }).document)).toBe(
      JSON.stringify({
        apiVersion: 'dms-operator.dev/v1alpha1',
        kind: 'Deployment',
        metadata: { name: 'support-agent', namespace: 'team-a' },
        spec: {
          deploymentRef: { name: 'support-agent' },
          source: 'external_container',
          sourceConfig: {
            listenerConfig: { k8sNamespace: 'agents' },
            resourceSpec: { cpu: 2, sidecars: [CONTAINER] },
          },
          sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
        },
      }),
    );
  });

  it('omits fields that are empty, null or hidden', () => {
    const empty = {
      'sourceConfig.customURL': '',
      'sourceConfig.resourceSpec.labels': {},
      secretReferences: [],
    };
    const observed = showing({ ...empty, 'sourceConfig.buildCommand': null });
    expect(specOf(observed)).toEqual({
      deploymentRef: { name: 'support-agent' },
      source: 'external_container',
    });
  });

  it.each([
    ['codehost', ['sourceConfig.customURL', 'sourceConfig.resourceSpec', 'sourceRevisionConfig.imageURI']],
    ['internal_template', ['sourceConfig.resourceSpec', 'sourceRevisionConfig.imageURI']],
    ['internal_container', ['sourceConfig.resourceSpec']],
    ['external_container', []],
  ])('leaves out what source %s is not meant to have, and says so', (source, paths) => {
    const values = {
      'sourceConfig.customURL': 'https://agent.example.com',
      'sourceConfig.resourceSpec.cpu': 1,
      'sourceConfig.resourceSpec.memoryMB': 1024,
      'sourceRevisionConfig.imageURI': 'registry.example.com/agent:1',
    };
    const { document, leftOut } = manifestOf(showing(values, source));
    expect(leftOut.map(({ path }) => path).toSorted()).toEqual(paths);
    expect(validateDocument(document)).toEqual([]);
  });

  it('omits a branch that is shown as a commit, which should not be pinned', () => {
    const commit = 'c'.repeat(40);
    const resolved = { fields: { repoRef: commit }, repoCommitSHA: commit };
    const { document, leftOut } = manifestOf(
      anObserved({ source: 'codehost', sourceRevisionConfig: resolved }),
    );
    expect(document['spec']).toEqual({ deploymentRef: { name: 'support-agent' }, source: 'codehost' });
    expect(leftOut).toEqual([
      { path: 'sourceRevisionConfig.repoRef', why: 'is shown as the commit that it stood for' },
    ]);
  });

  it.each<[string, Json]>([
    ['sourceConfig.customURL', 'https://user:hunter2@agent.example.com'],
    ['sourceConfig.buildCommand', 'NPM_TOKEN=hunter2 npm ci'],
    ['sourceConfig.installCommand', 'npm config set //r.example.com/:_authToken ghp_hunter2hunter2'],
    ['sourceConfig.buildCommand', "curl -H 'Authorization: Bearer hunter2hunter2' https://r.example.com"],
    ['sourceConfig.resourceSpec.sidecars', [{ name: 'a', env: [{ name: 'API_KEY', value: 'hunter2' }] }]],
    ['sourceConfig.resourceSpec.initContainers', [{ name: 'a', args: ['--password=hunter2'] }]],
  ])('never repeats what looks like a credential: %s', (path, value) => {
    const found = manifestOf(showing({ [path]: value }));
    expect(found.leftOut).toEqual([{ path, why: 'looks like it carries a credential' }]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('treats a variable reference as such, not as the credential itself', () => {
    for (const command of [
      'NPM_TOKEN=$CI_TOKEN npm ci',
      'curl -H "Authorization: Bearer $TOKEN" u',
      'echo basic authentication',
    ]) {
      const observed = showing({ 'sourceConfig.buildCommand': command });
      expect(specOf(observed)).toMatchObject({ sourceConfig: { buildCommand: command } });
    }
  });

  it('contains the id if a name is ambiguous or not valid', () => {
    const byID = { deploymentRef: { id: ID }, source: 'external_container' };
    expect(specOf(anObserved(), { ambiguous: true })).toEqual(byID);
    expect(specOf(anObserved({ name: 'a'.repeat(254) }))).toEqual(byID);
  });

  it.each([
    [{ kind: 'Connection', name: 'default' } as const, undefined],
    [{ kind: 'Connection', name: 'main' } as const, { name: 'main' }],
    [{ kind: 'ClusterConnection', name: 'default' } as const, { kind: 'ClusterConnection', name: 'default' }],
  ])('names the connection unless it is found without: %j', (connection, expected) => {
    const spec = specOf(anObserved(), { connection }) as JsonObject;
    expect(spec['connectionRef']).toEqual(expected);
  });

  it('asks for a source if none is shown, and uses the given one', () => {
    const { source: _, ...unshown } = anObserved();
    expect(adopted(unshown, OPTIONS)).toMatchObject({
      kind: 'not adoptable',
      why: 'its source is not shown',
    });
    expect(specOf(unshown, { source: 'codehost' })).toMatchObject({ source: 'codehost' });
    expect(specOf(anObserved(), { source: 'codehost' })).toMatchObject({ source: 'external_container' });
  });

  it('is not made for a source that no manifest can name', () => {
    expect(adopted(anObserved({ source: 'balloon' }), OPTIONS)).toMatchObject({
      kind: 'not adoptable',
      why: 'spec.source is "balloon"',
    });
  });
});

describe('secrets in the manifest of a deployment', () => {
  const secrets = ['B', 'A', 'odd name', 'odd/name'].map((name) => ({
    name,
    value: new SecretValue('hunter2'),
  }));

  it('are listed by name', () => {
    const found = manifestOf(anObserved({ secrets }));
    expect(found.secretNames).toEqual(['A', 'B', 'odd name', 'odd/name']);
    expect(found).not.toHaveProperty('skeleton');
    expect(found.document['spec']).not.toHaveProperty('secrets');
  });

  it('are references to a Secret on request, each to a key of its own', () => {
    const found = manifestOf(anObserved({ secrets }), { withSecrets: true });
    const keys = ['A', 'B', 'odd_name', 'odd_name-2'];
    expect(found.skeleton).toEqual({ name: 'support-agent-secrets', keys });
    expect(found.document['spec']).toMatchObject({
      secrets: ['A', 'B', 'odd name', 'odd/name'].map((name, at) => ({
        name,
        valueFrom: { secretKeyRef: { name: 'support-agent-secrets', key: keys[at] } },
      })),
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
    expect(found.secretNames).toEqual([]);
    expect(manifestOf(anObserved(), { withSecrets: true })).not.toHaveProperty('skeleton');
  });

  it('are omitted if not all of them can be named', () => {
    const all = [...secrets, { name: 'x'.repeat(254) }];
    const found = manifestOf(anObserved({ secrets: all }), { withSecrets: true });
    expect(found.document['spec']).not.toHaveProperty('secrets');
    expect(found.secretNames).toHaveLength(5);
  });
});

describe('for any state at the service', () => {
  const source = fc.constantFrom(
    ...['codehost', 'external_container', 'internal_container', 'internal_source', 'internal_template'],
  );
  const plausible = fc.oneof(
    fc.constantFrom<Json>('main', 'https://code.example.com/a', ID, 1, -2.5, true, [CONTAINER], { a: 'b' }),
    fc.constantFrom<Json>([{ name: 'v' }, { name: 'v' }], [{ name: 'v', mountPath: '/x' }], [], {}, null, ''),
    fc.jsonValue() as fc.Arbitrary<Json>,
  );
  const paths = FIELDS.map(({ path }) => path).filter((path) => path !== 'secretReferences');
  const shown = fc.dictionary(fc.constantFrom(...paths), plausible);
  const text = fc.constantFrom('', 'a', 'b', 'c'.repeat(300));
  const references = fc.array(fc.record({ name: text, secretName: text, secretKey: text }));

  it('its manifest is accepted, and applying it plans nothing', () => {
    fc.assert(
      fc.property(source, shown, references, (kind, values, secretReferences) => {
        const observed = showing({ ...values, secretReferences }, kind);
        const { document } = manifestOf(observed);
        expect(validateDocument(document).filter(({ severity }) => severity === 'error')).toEqual([]);
        const { spec } = document as unknown as DeploymentResource;
        const { plan } = makePlan(aSituation(aResource(spec), observed));
        expect(plan).toMatchObject({ kind: 'nothing', changes: [], withheld: [] });
      }),
      // A block with only null members counts as empty.
      {
        numRuns: 300,
        examples: [['external_container', { 'sourceConfig.listenerConfig': { '': null } }, []]],
      },
    );
  });
});
