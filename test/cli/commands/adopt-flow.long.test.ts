import { describe, expect, it } from 'vitest';
import { manyDeployments } from '../../../src/simulator/state/service-seed.ts';
import { connectionTo, type ServedService, servedService } from '../../support/worlds/served-service.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../support/terminal.ts';

const QUICK_POLL = '  poll: {intervalSeconds: 2, rolloutSeconds: 1}\n';
const DEPLOYMENTS = manyDeployments(150, 'agent');

/** Creates a service with 150 deployments of all five sources, and a folder into which they were imported. */
async function adopted(
  semantics: NonNullable<Parameters<typeof servedService>[1]>['semantics'] = {},
  ...more: string[]
): Promise<ServedService & { folder: TemporaryFolder }> {
  const { service, url } = await servedService(DEPLOYMENTS, { semantics });
  const folder = temporaryFolder({ 'connection.yaml': connectionTo(url, { spec: QUICK_POLL }) });
  const into = ['--output-dir', folder.at('deployments')];
  const found = await run(['import', '--all', '-f', folder.at('connection.yaml'), ...into, ...more]);
  expect(found).toMatchObject({ err: '', code: 0 });
  expect(found.out).toMatch(/^150 manifests written /);
  return { service, url, folder };
}

function imageIn({ name }: { readonly name: string }): string {
  return `deployments/${name}.yaml`;
}

describe('the import of 150 deployments', () => {
  it('writes manifests that are valid and change nothing', async () => {
    const { folder, service } = await adopted();
    expect(new Set(DEPLOYMENTS.map(({ source }) => source)).size).toBe(5);
    const validated = await run(['validate', '-f', folder.path]);
    expect(validated).toEqual({ out: '151 valid documents, 0 errors, 0 warnings\n', err: '', code: 0 });
    const planned = await run(['plan', '-f', folder.path, '-o', 'json']);
    expect(planned).toMatchObject({ err: '', code: 0 });
    const { resources } = JSON.parse(planned.out) as { resources: { action: string; sends: boolean }[] };
    expect(resources).toHaveLength(150);
    expect(resources.filter(({ action, sends }) => action !== 'None' || sends)).toEqual([]);
    expect(service.log.count('patch')).toBe(0);
  });

  it('makes plan show one edit as the only change, and send nothing', async () => {
    const { folder, service } = await adopted();
    const file = imageIn({ name: 'agent-00000' });
    folder.write(file, folder.read(file).replace('load/agent:1', 'load/agent:2'));
    const planned = await run(['plan', '-f', folder.path, '-o', 'json']);
    expect(planned).toMatchObject({ err: '', code: 2 });
    const { resources } = JSON.parse(planned.out) as {
      resources: { name: string; sends: boolean; changes: { path: string }[] }[];
    };
    const changed = resources.filter(({ sends }) => sends);
    expect(changed).toMatchObject([
      { name: 'agent-00000', changes: [{ path: 'sourceRevisionConfig.imageURI' }] },
    ]);
    expect(service.log.count('patch')).toBe(0);
  });

  it('makes apply send nothing, then one edit, and end when the service has it', async () => {
    const { folder, service } = await adopted({ rollout: { kind: 'after', seconds: 1 } });
    const applying = async (...more: string[]) => run(['apply', '-f', folder.path, ...more]);
    expect(await applying()).toMatchObject({ code: 0 });
    expect(service.log.count('patch')).toBe(0);
    const file = imageIn({ name: 'agent-00000' });
    folder.write(file, folder.read(file).replace('load/agent:1', 'load/agent:2'));
    expect(await run(['plan', '-f', folder.path])).toMatchObject({ code: 2 });
    expect(await applying('--wait', '--timeout', '30s')).toMatchObject({ code: 0 });
    expect(service.log.count('patch')).toBe(1);
    const changed = service.shown('agent-00000');
    expect(changed).toMatchObject({
      source_revision_config: { image_uri: 'registry.example.com/load/agent:2' },
    });
    expect(changed?.['active_revision_id']).toBe(changed?.['latest_revision_id']);
    expect(await run(['plan', '-f', folder.path])).toMatchObject({ code: 0 });
  }, 60_000);

  it.each([
    [
      'resolves branches, fills in defaults and shows nulls',
      { normalise: ['ref-to-sha', 'add-defaults'], unset: 'null' },
    ],
    ['hides secrets', { secretsEcho: 'stars' }],
    ['lists in any order', { listOrder: 'shuffled', normalise: ['reorder'] }],
  ] as const)('changes nothing at a service that %s', async (_, semantics) => {
    const { folder } = await adopted(semantics);
    const planned = await run(['plan', '-f', folder.path, '-o', 'json']);
    expect(planned).toMatchObject({ err: '', code: 0 });
    expect(planned.out).not.toContain('"sends": true');
  });

  it('makes apply send no secret until the named Secrets are filled in', async () => {
    const { folder } = await adopted({}, '--with-secrets');
    expect(await run(['validate', '-f', folder.path])).toMatchObject({ code: 0 });
    const planned = await run(['plan', '-f', folder.path, '-o', 'json']);
    expect(planned.out).not.toContain('"sends": true');
    expect(planned.out).toContain('SecretMissing');
  });
});
