import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { FIELDS } from '../../../src/model/desired/fields.ts';
import { isJsonObject, type Json } from '../../../src/base/json.ts';
import type { SourceConfigView } from '../../../src/model/external/observation.ts';
import { sealed } from '../../../src/service/list/inventory.ts';
import { observedDeployment } from '../../../src/service/list/observed-deployment.ts';
import { decodeDeployment } from '../../../src/wire/decode.ts';
import type { WireJson } from '../../../src/wire/wire-json.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, NAMESPACE, type World } from '../support/world.ts';

const GOLDEN = join(import.meta.dirname, '..', 'golden');

function golden(file: string): Json {
  return JSON.parse(readFileSync(join(GOLDEN, file), 'utf8')) as Json;
}

function giveSecrets(w: World): void {
  w.putSecret('agent-secrets', { 'api-token': 'token with "quotes" & spaces' });
  w.putSecret('agent-environment', { REGION_KEY: 'from-the-environment' });
  w.secrets.put(
    { kind: 'ConfigMap', namespace: NAMESPACE, name: 'agent-settings' },
    { region: 'eu-central' },
  );
}

/** Returns a body with the names of secrets and a placeholder for each value, fit for a golden file. */
function withoutSecrets(body: WireJson | undefined): Json {
  const { secrets = [], ...rest } = body as { readonly secrets?: readonly { readonly name: string }[] };
  return { ...rest, secrets: secrets.map(({ name }) => ({ name, value: '[redacted]' })) };
}

/** Returns the current state at the service, in the terms of the manifest. */
function shownBack(w: World): Json {
  const observed = observedDeployment(decodeDeployment(w.shown() as WireJson, sealed)!);
  const { fields, resourceSpec } = observed.sourceConfig as Required<SourceConfigView>;
  return {
    sourceConfig: { ...fields, resourceSpec: resourceSpec?.fields ?? {} },
    sourceRevisionConfig: observed.sourceRevisionConfig?.fields ?? {},
    secretReferences: observed.secretReferences?.map((reference) => ({ ...reference })) ?? [],
  };
}

function leafCount(spec: Json): number {
  const at = (path: string): Json | undefined =>
    path
      .split('.')
      .reduce<Json | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), spec);
  return FIELDS.filter(({ path }) => at(path) !== undefined).length;
}

describe('the first application', () => {
  scenario('sends every field there is in one PATCH, and all of it comes back as it was', {}, async (w) => {
    const declared = golden('all-fields.spec.json');
    const what = 'add a new field to test/reconcile/golden/all-fields.spec.json and all-fields.json';
    expect(leafCount(declared), what).toBe(FIELDS.length);
    const spec = declared as object as DeploymentSpec;
    giveSecrets(w);
    w.service.setSemantics({ secretsEcho: 'stars' });
    w.apply({ ...spec, secretsOwnership: 'Exclusive' });
    await w.pass(60);
    const [body, ...more] = w.bodies();
    expect(more).toEqual([]);
    expect(withoutSecrets(body)).toEqual(golden('all-fields.json'));
    // These facts are not in the golden file.
    expect(isJsonObject(body) && body['secrets']).toEqual([
      { name: 'AGENT_REGION_KEY', value: 'from-the-environment' },
      { name: 'API_TOKEN', value: 'token with "quotes" & spaces' },
      { name: 'LOG_FORMAT', value: 'json-in-single-lines' },
      { name: 'REGION', value: 'eu-central' },
    ]);
    const { sourceConfig, sourceRevisionConfig, secretReferences } = spec;
    expect(shownBack(w)).toEqual({ sourceConfig, sourceRevisionConfig, secretReferences });
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.status().applied?.fields).toHaveLength(FIELDS.length + 1);
  });

  scenario(
    'leaves out fields that already match, and keeps undeclared fields unchanged',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: {
            custom_url: 'https://a.example.com',
            build_command: 'make',
            resource_spec: { cpu: 1 },
          },
          revisionConfig: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'graph.json' },
          secrets: [{ name: 'API_TOKEN', value: 'set-by-hand-0001' }],
        },
      ],
    },
    async (w) => {
      w.apply({
        sourceConfig: { customURL: 'https://a.example.com', installCommand: 'npm ci' },
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
      });
      await w.pass(60);
      expect(w.bodies()).toEqual([{ source_config: { install_command: 'npm ci' } }]);
      expect(w.revisionsMade()).toBe(0);
      expect(w.kept().content).toMatchObject({
        sourceConfig: { build_command: 'make', resource_spec: { cpu: 1 } },
        revisionConfig: { graph_config_path: 'graph.json' },
        secrets: [{ name: 'API_TOKEN', value: 'set-by-hand-0001' }],
      });
    },
  );

  scenario(
    'costs two status writes, and a third one when the revision is active',
    { deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }] },
    async (w) => {
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(90);
      expect(w.bodies()).toEqual([{ source_revision_config: { image_uri: 'registry.example.com/agent:2' } }]);
      expect(w.statusStory()).toEqual([
        'announce Pending Pending',
        'saveStatus InSync RolloutInProgress',
        'saveStatus InSync Active',
      ]);
      expect(w.events.reasons()).toEqual(['Ok', 'PatchSent']);
      expect(w.metrics.count('patched Connection/team-a/default spec applied')).toBe(1);
      expect(w.status()).toMatchObject({
        observedGeneration: 1,
        lastPatch: { outcome: 'Applied', revisionID: w.shown()['latest_revision_id'] },
        revisions: [
          { cause: 'Operator', generation: 1, imageURI: 'registry.example.com/agent:2' },
          { cause: 'Unknown', imageURI: 'registry.example.com/agent:1' },
        ],
      });
      expect(w.status().pendingWrite).toBeUndefined();
    },
  );

  scenario('of an empty manifest writes nothing', {}, async (w) => {
    w.apply({ revisionSource: 'internal_container' });
    await w.pass(60);
    expect(w.bodies()).toEqual([]);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});
