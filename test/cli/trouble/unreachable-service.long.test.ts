import { describe, expect, it } from 'vitest';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { deploymentYaml, together } from '../../directory/support/manifests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SECRET } from '../support/bad-input.ts';
import { run } from '../support/terminal.ts';

/** Commands that send requests to the service, each of which may find it unreachable. */
const ASKING: readonly (readonly string[])[] = [
  ['plan'],
  ['apply', '--yes'],
  ['get', 'deployments'],
  ['import', '--all'],
];

const LINE =
  /Connection team-a\/default \(http:\/\/127\.0\.0\.1:1\) cannot be used: Unreachable: [^;]*; check spec\.baseURL and whether it is reachable from here/;

describe('a service that cannot be reached', () => {
  it.each(ASKING)('is named by %s with its address, without possible secrets', async (...words) => {
    const connection = connectionTo(`http://127.0.0.1:1/${SECRET}`);
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('agent'), connection) });
    const { out, err } = await run([...words, '-f', folder.path]);
    expect(out + err).toMatch(LINE);
    expect(out + err).not.toContain(SECRET);
  });

  it('is distinguished from one that answers and cannot serve', async () => {
    const { service, url } = await servedService([]);
    service.faults.add({ match: {}, times: 0, fault: { kind: 'status', status: 503 } });
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('agent'), connectionTo(url)) });
    const { out, err } = await run(['plan', '-f', folder.path]);
    expect(out + err).toContain(
      'GET was answered with 503; the service answers and cannot serve now: look there',
    );
    expect(out + err).not.toContain('reachable from here');
  });

  it('is distinguished from a proxy that is not reachable', async () => {
    const spec = "  proxy: {address: 'http://127.0.0.1:1'}\n  allowHTTP: true\n";
    const folder = temporaryFolder({
      'a.yaml': together(deploymentYaml('agent'), connectionTo('http://deploy.example.com', { spec })),
    });
    const hosts = ['--allow-hosts', 'deploy.example.com', '--proxy-hosts', '127.0.0.1:1'];
    const { out, err } = await run(['plan', '-f', folder.path, ...hosts]);
    expect(out + err).toMatch(
      /Unreachable: proxy http:\/\/127\.0\.0\.1:1 cannot be used: [^;]*; look at that proxy, and whether it is reachable from here\n/,
    );
    expect(out + err).not.toContain('check spec.baseURL');
  });
});
