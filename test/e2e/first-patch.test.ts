import { afterEach, describe, expect, test } from 'vitest';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { aWorld, type World } from '../support/worlds/e2e-world.ts';

const plane = useControlPlane();

describe('kubectl apply of a Deployment resource', () => {
  let world: World;
  afterEach(() => world.end());

  test('becomes exactly one PATCH, and the revision ids come back', async () => {
    world = await aWorld(plane(), {
      rolloutSeconds: 1,
      deployments: [
        {
          name: 'support-agent',
          sourceConfig: { resource_spec: { min_scale: 1, cpu: 0.5, db_storage_gi: 10 } },
          revisionConfig: { image_uri: 'registry.example.com/agent:1.3' },
          secrets: [{ name: 'API_TOKEN', value: 'token-set-by-hand' }],
        },
      ],
    });
    await world.apply(`
apiVersion: v1
kind: Secret
metadata: {name: agent-secrets}
stringData: {api-token: from-the-cluster}
---
apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata: {name: support-agent}
spec:
  source: external_container
  sourceConfig:
    resourceSpec: {maxScale: 3, cpu: 1}
  sourceRevisionConfig: {imageURI: 'registry.example.com/agent:1.4'}
  secrets:
  - name: API_TOKEN
    valueFrom: {secretKeyRef: {name: agent-secrets, key: api-token}}
`);
    await world.kubectl('wait', '--for=condition=Ready', 'dmsd/support-agent', '--timeout=30s');

    expect(world.patches().map(({ body }) => body)).toEqual([
      {
        source_config: { resource_spec: { min_scale: 1, max_scale: 3, cpu: 1, db_storage_gi: 10 } },
        source_revision_config: { image_uri: 'registry.example.com/agent:1.4' },
        secrets: [{ name: 'API_TOKEN', value: 'from-the-cluster' }],
      },
    ]);
    const { status } = await world.get('support-agent');
    const shown = world.service.shown('support-agent');
    expect([status?.latestRevisionID, status?.activeRevisionID]).toEqual([
      shown?.['latest_revision_id'],
      shown?.['active_revision_id'],
    ]);
    expect(status?.lastPatch).toMatchObject({
      outcome: 'Applied',
      revisionID: shown?.['latest_revision_id'],
    });
    expect(JSON.stringify(status)).not.toContain('from-the-cluster');
    expect(world.operator.lines.join('\n')).not.toContain('from-the-cluster');

    const wide = await world.kubectl('get', 'dmsd', '-o', 'wide');
    expect(wide.split('\n')[0]?.split(/\s{2,}/)).toEqual(
      expect.arrayContaining([
        'NAME',
        'READY',
        'SYNCED',
        'REASON',
        'STATUS',
        'ACTIVE',
        'AGE',
        'ID',
        'SOURCE',
        'IMAGE',
        'LATEST',
        'MESSAGE',
      ]),
    );
    expect(wide).toContain('registry.example.com/agent:1.4');
  });

  test('stays in effect: drift is corrected once, and the same manifest again sends nothing', async () => {
    world = await aWorld(plane(), {
      rolloutSeconds: 0,
      deployments: [{ name: 'docs-agent', revisionConfig: { image_uri: 'registry.example.com/docs:1' } }],
    });
    const manifest = `
apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata: {name: docs-agent}
spec:
  source: external_container
  sourceRevisionConfig: {imageURI: 'registry.example.com/docs:1'}
`;
    await world.apply(manifest);
    await world.kubectl('wait', '--for=condition=Ready', 'dmsd/docs-agent', '--timeout=30s');
    expect(world.patches()).toHaveLength(0);

    world.service.act({
      kind: 'edit',
      deployment: 'docs-agent',
      path: 'source_revision_config.image_uri',
      value: 'registry.example.com/docs:by-hand',
    });
    await world.until('the drift is corrected', () => world.patches().length === 1);
    expect(world.patches()[0]?.body).toEqual({
      source_revision_config: { image_uri: 'registry.example.com/docs:1' },
    });

    await world.apply(manifest);
    await world.sweeps(4);
    expect(world.patches()).toHaveLength(1);
    const events = await world.kubectl('get', 'events.events.k8s.io', '-o', 'jsonpath={.items[*].reason}');
    expect(events.split(' ')).toEqual(expect.arrayContaining(['Adopted', 'DriftDetected', 'DriftCorrected']));
  });

  test('without its Connection or Secret reports the reason, and continues within a second of their creation', async () => {
    world = await aWorld(plane(), {
      connection: false,
      deployments: [{ name: 'late-agent', secrets: [{ name: 'A', value: 'old' }] }],
    });
    await world.apply(`
apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata: {name: late-agent}
spec:
  source: external_container
  secrets:
  - name: A
    valueFrom: {secretKeyRef: {name: late-secret, key: a}}
`);
    await world.untilReason('late-agent', 'ConnectionNotFound');
    await world.applyConnection();
    await world.untilReason('late-agent', 'SecretMissing', 3_000);
    const appliedMs = Date.now();
    await world.apply('{apiVersion: v1, kind: Secret, metadata: {name: late-secret}, stringData: {a: new}}');
    await world.until('the secret arrives', () => world.patches().length === 1);
    expect(world.patches()[0]?.beganMs).toBeLessThan(appliedMs + 1_500);
    expect(world.patches()[0]?.body).toEqual({ secrets: [{ name: 'A', value: 'new' }] });
  });
});

describe('kubectl explain', () => {
  test('explains every field', async () => {
    await plane().installCRDs();
    const { stdout } = await plane().kubectl([
      'explain',
      'deployments.dms-operator.dev.spec.sourceConfig.resourceSpec.cpu',
    ]);
    expect(stdout).toMatch(/FIELD: cpu <number>/);
    expect(stdout).toMatch(/DESCRIPTION:\n\s+\S+/);
  });
});
