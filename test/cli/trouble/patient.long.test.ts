import { describe, expect, it } from 'vitest';
import { manyDeployments } from '../../../src/simulator/state/service-seed.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { deploymentYaml, together } from '../../directory/support/manifests.ts';
import { connectionTo, type ServedService, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../support/terminal.ts';

const PAUSE = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } } as const;

async function given(
  count = 1,
  spec = '',
  semantics: SemanticsPatch = {},
): Promise<{ path: string; service: ServedService['service'] }> {
  const { url, service } = await servedService(manyDeployments(count, 'agent'), { semantics });
  const [{ name } = { name: '' }] = service.deployments();
  const manifest = deploymentYaml('agent', { spec: '  managementPolicy: Observe\n' });
  const folder = temporaryFolder({
    'all.yaml': together(connectionTo(url, { spec }), manifest.replace('{name: agent}', `{name: ${name}}`)),
  });
  return { path: folder.path, service };
}

describe('a command that reads', () => {
  it.each([['get', 'deployments'], ['get', 'providers'], ['import', '--all', '--force'], ['plan']])(
    'waits if the service asks for a pause, and says so: %s %s',
    async (...words) => {
      const { path, service } = await given();
      for (const operation of ['list', 'providers'] as const)
        service.faults.add({ match: { operation }, fault: PAUSE, times: 1 });
      const { err, code } = await run([...words, '-f', path]);
      expect(err).toContain('the service asks for fewer requests (429): waiting 1 s\n');
      expect(code).toBe(0);
    },
  );

  it('continues with the page that was refused, so that a slow service can be imported', async () => {
    const { path, service } = await given(40, '  list: {pageSize: 5}\n', {
      rateLimit: { requests: 4, seconds: 1 },
    });
    const { out, code } = await run(['import', '--all', '--force', '-f', path]);
    expect(code).toBe(0);
    expect(out.match(/^kind: Deployment$/gm)).toHaveLength(40);
    const refused = service.log.requests('list').filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(service.log.count('list') - refused.length).toBeLessThan(12);
  }, 60_000);

  it('gives up if the pause is longer than two minutes', async () => {
    const { path, service } = await given();
    const fault = { ...PAUSE, headers: { 'Retry-After': '600' } };
    service.faults.add({ match: { operation: 'list' }, fault, times: 0 });
    const { err, code } = await run(['get', 'deployments', '-f', path]);
    expect(code).toBe(1);
    expect(err).toContain('RateLimited');
    expect(service.log.count('list')).toBe(1);
  });
});
