import { describe, expect, it } from 'vitest';
import type { WireJson } from '../../../src/wire/wire-json.ts';
import { Bench, SEED } from '../support.ts';

interface Row {
  readonly name: string;
  readonly body: WireJson;
  readonly rule: string;
  readonly path: string;
}

const ROWS: readonly Row[] = [
  { name: 'a key nobody knows', body: { colour: 'red' }, rule: 'unknown-key', path: 'colour' },
  ...[
    'name',
    'source',
    'id',
    'tenant_id',
    'created_at',
    'updated_at',
    'status',
    'latest_revision_id',
    'active_revision_id',
    'image_version',
  ].map((key): Row => ({
    name: `${key}, which is for responses`,
    body: { [key]: 'x' },
    rule: 'response-only-key',
    path: key,
  })),
  {
    name: 'the commit of a revision',
    body: { source_revision_config: { repo_commit_sha: 'abc' } },
    rule: 'response-only-key',
    path: 'source_revision_config.repo_commit_sha',
  },
  {
    name: 'a key of the resource under source_config',
    body: { source_config: { image_uri: 'x' } },
    rule: 'unknown-key',
    path: 'source_config.image_uri',
  },
  {
    name: 'a resource field in camel case',
    body: { source_config: { resource_spec: { memoryMB: 1 } } },
    rule: 'unknown-key',
    path: 'source_config.resource_spec.memoryMB',
  },
  {
    name: 'a container field in snake case',
    body: { source_config: { resource_spec: { sidecars: [{ name: 'a', working_dir: '/' }] } } },
    rule: 'unknown-key',
    path: 'source_config.resource_spec.sidecars.0.working_dir',
  },
  {
    name: 'a number as text',
    body: { source_config: { resource_spec: { cpu: '1' } } },
    rule: 'wrong-type',
    path: 'source_config.resource_spec.cpu',
  },
  {
    name: 'an integration that is not a UUID',
    body: { source_config: { integration_id: 'mine' } },
    rule: 'bad-uuid',
    path: 'source_config.integration_id',
  },
  {
    name: 'a revision source that 4.4 does not list',
    body: { revision_source: 'external_container' },
    rule: 'wrong-type',
    path: 'revision_source',
  },
  {
    name: 'null for a config object',
    body: { source_config: null },
    rule: 'wrong-type',
    path: 'source_config',
  },
  {
    name: 'a secret without a value',
    body: { secrets: [{ name: 'A' }] },
    rule: 'missing-key',
    path: 'secrets.0.value',
  },
  {
    name: 'secrets as an object',
    body: { secrets: { A: 'x' } },
    rule: 'wrong-type',
    path: 'secrets',
  },
  {
    name: 'a reference without its key',
    body: { secret_references: [{ name: 'A', secret_name: 'b' }] },
    rule: 'missing-key',
    path: 'secret_references.0.secret_key',
  },
  { name: 'a list instead of an object', body: [], rule: 'wrong-type', path: '' },
];

describe('a PATCH that the interface does not allow', () => {
  it.each(ROWS)('is refused with 422 and recorded: $name', async ({ body, rule, path }) => {
    const bench = new Bench(SEED);
    const before = bench.service.deployment('agent');
    const { status } = await bench.patch('agent', body);
    expect(status).toBe(422);
    expect(bench.service.deployment('agent')).toBe(before);
    const [violation] = bench.service.log.violations;
    expect(violation).toMatchObject({
      request: 1,
      rule,
      path: ['body', ...(path === '' ? [] : path.split('.'))],
    });
  });

  it('is refused with references if the source is not external_container (2.7)', async () => {
    const bench = new Bench(SEED);
    expect((await bench.patch('site', { secret_references: [] })).status).toBe(422);
    expect(bench.service.log.violations).toMatchObject([{ rule: 'not-for-this-source' }]);
    expect((await bench.patch('agent', { secret_references: [] })).status).toBe(200);
  });

  it('is refused with 415 without a JSON content type', async () => {
    const bench = new Bench(SEED);
    const path = `/v2/deployments/${bench.id('agent')}`;
    expect((await bench.send('PATCH', path, {}, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(bench.service.log.violations).toMatchObject([{ rule: 'content-type' }]);
  });

  it('is refused if its body is not JSON', async () => {
    const bench = new Bench(SEED);
    expect((await bench.send('PATCH', `/v2/deployments/${bench.id('agent')}`)).status).toBe(422);
    expect(bench.service.log.violations).toMatchObject([{ rule: 'not-json' }]);
  });
});

describe('a PATCH that the interface allows', () => {
  it('may carry every field of 2.4 to 2.7', async () => {
    const mount = {
      name: 'data',
      mountPath: '/data',
      subPath: 'a',
      mountPropagation: 'None',
      subPathExpr: '$(A)',
      readOnly: true,
    };
    const container = {
      name: 'proxy',
      image: 'proxy:1',
      imagePullPolicy: 'Always',
      workingDir: '/',
      restartPolicy: 'Always',
      command: ['proxy'],
      args: ['-v'],
      env: [
        { name: 'A', value: 'x' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      envFrom: [{ secretRef: { name: 'env' } }],
      resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
      volumeMounts: [mount],
      securityContext: { runAsNonRoot: true },
    };
    const bench = new Bench(SEED);
    const { status, text } = await bench.patch('agent', {
      revision_source: 'internal_container',
      source_config: {
        integration_id: '11111111-2222-4333-8444-555555555555',
        repo_url: 'https://codehost.example.com/a/b',
        build_on_push: false,
        custom_url: null,
        listener_id: '11111111-2222-4333-8444-555555555555',
        listener_config: { k8s_namespace: 'apps' },
        install_command: 'make',
        build_command: 'make',
        resource_spec: {
          min_scale: 1,
          executor_memory_limit_mb: 1,
          db_storage_gi: 10,
          labels: { my_label: 'x' },
          annotations: {},
          service_account_name: 'agent',
          image_pull_secrets: [{ name: 'pull' }],
          volumes: [{ name: 'data', emptyDir: {}, downwardAPI: { items: [] } }],
          volume_mounts: [mount],
          init_containers: [container],
          sidecars: [container],
        },
      },
      source_revision_config: {
        repo_ref: 'main',
        graph_config_path: 'g',
        image_uri: 'i',
        source_tarball_path: null,
      },
      secrets: [{ name: 'A', value: '' }],
      secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }],
    });
    expect(text).not.toContain('detail');
    expect(status).toBe(200);
    expect(bench.service.log.violations).toEqual([]);
  });

  it('may send back a field that the deployment showed, known or not', async () => {
    const bench = new Bench(SEED);
    bench.service.act({
      kind: 'edit',
      deployment: 'agent',
      path: 'source_config.resource_spec.gpu',
      value: 1,
    });
    const body = { source_config: { resource_spec: { cpu: 2, gpu: 1 } } };
    expect((await bench.patch('agent', body)).status).toBe(200);
    expect((await bench.patch('site', body)).status).toBe(422);
  });

  it('is recorded if it is empty', async () => {
    const bench = new Bench(SEED);
    expect((await bench.patch('agent', {})).status).toBe(200);
    expect(bench.service.log.violations).toMatchObject([{ rule: 'empty-patch', refused: false }]);
  });

  it('is recorded if it sends back the mask of a secret', async () => {
    const bench = new Bench(SEED, 'masked');
    const [shown] = (await bench.listed('agent'))['secrets'] as [{ value: string }];
    await bench.patch('agent', { secrets: [{ name: 'API_A', value: shown.value }] });
    expect(bench.service.log.violations).toMatchObject([
      { rule: 'mask-written-back', path: ['body', 'secrets', 'API_A'] },
    ]);
  });

  it('is not recorded if a secret really equals the mask', async () => {
    const bench = new Bench(SEED, 'masked');
    const secrets = [{ name: 'API_A', value: '********' }];
    bench.service.act({ kind: 'edit', deployment: 'agent', path: 'secrets', value: { API_A: '********' } });
    expect((await bench.patch('agent', { secrets })).status).toBe(200);
    expect(bench.service.log.violations).toEqual([]);
  });
});

describe('the message about a refused request', () => {
  it('never contains a value of it, unless echo is configured', async () => {
    const bench = new Bench(SEED);
    const body = { secrets: [{ name: 'A', value: 'hunter2' }], colour: 'red' };
    const quiet = await bench.patch('agent', body);
    expect(quiet.text).not.toContain('hunter2');
    expect(JSON.stringify(bench.service.log.violations)).not.toContain('hunter2');
    bench.service.setSemantics({ errorEcho: true });
    expect((await bench.patch('agent', body)).text).toContain('hunter2');
  });
});
