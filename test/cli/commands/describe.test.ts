import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { DeploymentStatus } from '../../../src/api/deployment.ts';
import { DEPLOYMENT_STATUS } from '../../api/full-status.ts';
import { deploymentYaml, together } from '../../directory/support/manifests.ts';
import { openFolder } from '../../directory/support/open.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { recording } from '../support/recording.ts';
import { run } from '../support/terminal.ts';

const SPEC = `  connectionRef: {name: main}
  driftPolicy: Report
  sourceConfig:
    buildCommand: make all
    resourceSpec: {cpu: 2, sidecars: [{name: proxy, env: [{name: LEVEL, value: info}]}]}
  secrets:
  - {name: PLAIN, value: hunter2}
  - {name: API_TOKEN, valueFrom: {secretKeyRef: {name: agent-secrets, key: api-token}}}
  secretsFrom: [{secretRef: {name: agent-env}, prefix: CHAT_}]
  rollout: {deadlineSeconds: 600}
`;

const MANIFEST = deploymentYaml('support-agent', { spec: SPEC });

function condition(type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string) {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: '2026-11-20T10:00:00Z' };
}

/** Creates a folder with a resource, and the results of a controller in its state. */
async function folderWith(
  status: DeploymentStatus | undefined,
  manifest = MANIFEST,
): Promise<TemporaryFolder> {
  const folder = temporaryFolder({ 'agent.yaml': manifest });
  if (status === undefined) return folder;
  const held = await openFolder(folder.path);
  const [resource] = held.adapter.list();
  if (resource === undefined) throw new Error('the manifest declares one');
  await held.store.saveStatus(resource, status, { mustLand: true });
  await held.stop();
  return folder;
}

const ROLLING: DeploymentStatus = {
  ...DEPLOYMENT_STATUS,
  observedGeneration: 1,
  serviceStatus: 'READY',
  conditions: [
    condition('Ready', 'False', 'RolloutInProgress', 'revision b is not active; a still serves'),
    condition('Synced', 'True', 'InSync', 'the service shows the spec'),
    condition('Reconciling', 'True', 'RolloutInProgress', 'revision b is not active; a still serves'),
  ],
};

/** Returns the advice for a resource with this status in a folder. */
async function adviceFor(status: DeploymentStatus): Promise<string> {
  const folder = await folderWith(status);
  const { out } = await run(['describe', 'support-agent', '-f', folder.path], { columns: 200 });
  return out.split('What to do next:')[1]?.split('\n\n')[0] ?? '';
}

describe('the advice of describe', () => {
  it('names the command that approves, and the annotation', async () => {
    const waiting = condition('Synced', 'False', 'AwaitingApproval', 'plan 0123456789ab waits for approval');
    const advice = await adviceFor({ ...DEPLOYMENT_STATUS, observedGeneration: 1, conditions: [waiting] });
    expect(advice).toContain('dms-operator.dev/approve');
    expect(advice).toContain('"approve support-agent"');
  });
});

describe('describe', () => {
  it.each(['text', 'yaml'])('looks as it was agreed, as %s', async (format) => {
    const folder = await folderWith(ROLLING);
    const words = ['describe', 'support-agent', '-f', folder.path, '-o', format];
    const text = recording(words, await run(words, { columns: 110 }), { [folder.path]: 'manifests' });
    expect(text).not.toContain('hunter2');
    if (format === 'text') expect(text).not.toContain('make all');
    await expect(text).toMatchFileSnapshot(`../golden/describe-${format}.txt`);
  });

  it('prints the same data as JSON and YAML, without the value of a secret', async () => {
    const folder = await folderWith(ROLLING);
    const found = async (format: string) =>
      run(['describe', 'support-agent', '-f', folder.path, '-o', format]);
    const json = JSON.parse((await found('json')).out) as Record<string, unknown>;
    expect(json).toEqual(parse((await found('yaml')).out));
    expect(json).toMatchObject({
      spec: { secrets: [{ name: 'PLAIN', value: '[redacted]' }, { name: 'API_TOKEN' }] },
      next: [{ reason: 'RolloutInProgress', todo: 'Wait.' }],
    });
  });

  it('shows nothing that may be secret, even if kubectl stored it in an annotation', async () => {
    const annotations = `{team/note: kept, kubectl.kubernetes.io/last-applied-configuration: '{"value":"hunter2"}'}`;
    const folder = await folderWith(undefined, deploymentYaml('support-agent', { spec: SPEC, annotations }));
    const { out } = await run(['describe', 'support-agent', '-f', folder.path, '-o', 'json']);
    expect(out).not.toMatch(/hunter2|make all|last-applied/);
    expect(JSON.parse(out)).toMatchObject({
      metadata: { annotations: { 'team/note': 'kept' } },
      spec: { sourceConfig: { buildCommand: '[redacted]' } },
    });
  });

  it('reports that all is well, and that nothing is known yet', async () => {
    const well: DeploymentStatus = {
      observedGeneration: 1,
      conditions: [
        condition('Ready', 'True', 'Active', 'revision a is active'),
        condition('Synced', 'True', 'InSync', 'the service shows the spec'),
      ],
    };
    const next = async (status: DeploymentStatus | undefined): Promise<string | undefined> => {
      const folder = await folderWith(status);
      const { out } = await run(['describe', 'support-agent', '-f', folder.path]);
      return out.match(/What to do next:\n((?: .*\n)+)/)?.[1];
    };
    expect(await next(well)).toBe('  Nothing: it is as it was asked for.\n');
    expect(await next(undefined)).toContain('Nothing is known of it yet');
    const newer = { ...well, observedGeneration: 0 };
    expect(await next(newer)).toBe(
      '  The spec was changed since it was last looked at. "plan" shows what would be sent, and "apply" sends it.\n',
    );
  });

  it.each<[readonly string[], number, string]>([
    [
      ['suport-agent'],
      1,
      'there is no deployments.dms-operator.dev suport-agent; did you mean support-agent?',
    ],
    [
      ['boat', '-n', 'team-b'],
      1,
      'there is no deployments.dms-operator.dev boat in namespace team-b; there is 1 other',
    ],
    [
      ['support-agent'],
      1,
      'several deployments.dms-operator.dev are called support-agent; give their namespace with -n',
    ],
    [[], 64, "missing required argument 'name'; see 'dms-operator describe --help'"],
  ])('%j ends with one line', async (words, code, line) => {
    const both = together(MANIFEST, deploymentYaml('support-agent', { namespace: 'team-b' }));
    const folder = await folderWith(undefined, both);
    const found = await run(['describe', ...words, '-f', folder.path]);
    expect(found).toEqual({ out: '', err: `dms-operator: ${line}\n`, code });
  });
});
