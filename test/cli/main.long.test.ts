import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectionYaml, deploymentYaml, together } from '../directory/support/manifests.ts';
import { servedService } from '../support/worlds/served-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { start } from './support/process.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

describe('the program as a process', () => {
  it('prints its result and ends with 0', async () => {
    const { ended } = start(['--version']);
    expect(await ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
      err: '',
    });
  });

  it('ends with 64 for an invalid command line, and with 1 for an error', async () => {
    const usage = start(['validate']);
    const wrong = start(['validate', '-f', '/nonexistent']);
    expect(await usage.ended).toMatchObject({ code: 64, out: '' });
    expect(await wrong.ended).toMatchObject({ code: 1, err: '' });
  });

  it('reports in one line that its output could not be written', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const child = spawn('sh', [
      '-c',
      '"$0" "$1" validate -f "$2" > /dev/full',
      process.execPath,
      MAIN,
      folder.path,
    ]);
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, err]).toEqual([1, 'dms-operator: the output cannot be written (ENOSPC)\n']);
  });

  it('reads standard input', async () => {
    const { child, ended } = start(['validate', '-f', '-']);
    child.stdin.end(deploymentYaml('a'));
    expect(await ended).toMatchObject({
      code: 0,
      out: '1 valid document, 0 errors, 0 warnings\nnote: named, but declared by no document here: Connection team-a/default\n',
    });
  });

  it('ends at once at Ctrl-C if it has nothing to clean up', async () => {
    const { child, ended } = start(['validate', '-f', '-']);
    await new Promise((resolve) => child.once('spawn', resolve));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ signal: 'SIGINT' });
  });

  it.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const)('removes what it served, and ends with $code at $signal', async ({ signal, code }) => {
    const { child, printed, ended } = start(['simulate', '--port', '0']);
    await expect.poll(() => printed.out, { timeout: 5_000 }).toContain('Ctrl-C');
    child.kill(signal);
    expect(await ended).toMatchObject({ code, err: '' });
  });

  it('ends quietly when its reader stops reading', async () => {
    const { child, ended } = start(['crds']);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('calls itself kubectl dms if kubectl starts it', async () => {
    const folder = temporaryFolder();
    symlinkSync(MAIN, folder.at('kubectl-dms'));
    const { ended } = start(['rum'], { main: folder.at('kubectl-dms') });
    expect(await ended).toMatchObject({
      code: 64,
      err: "kubectl dms: unknown command 'rum' (Did you mean run?); see 'kubectl dms --help'\n",
    });
  });

  it.each([
    {
      name: 'a flag',
      words: ['--workers', '0'],
      environment: {},
      line: /^dms-operator: --workers: "0" is not /,
    },
    {
      name: 'a variable',
      words: [],
      environment: { DMS_OPERATOR_DRY_RUN: 'perhaps' },
      line: /^dms-operator: DMS_OPERATOR_DRY_RUN: "perhaps" is not one of true, false; see 'dms-operator run --help'\n$/,
    },
  ])('ends with 64 and one line for $name that is invalid', async ({ words, environment, line }) => {
    const { ended } = start(['run', ...words], { environment });
    expect(await ended).toMatchObject({ code: 64, out: '', err: expect.stringMatching(line) as string });
  });

  it('ends with 1 and one line for a missing kubeconfig', async () => {
    const { ended } = start(['run', '--kubeconfig', '/nonexistent/config', '--metrics-address', '0']);
    const { code, err } = await ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^dms-operator: [^\n]*\/nonexistent\/config[^\n]*\n$/);
  });

  it.each([
    { name: 'a promise that was rejected', broken: 'Promise.reject(error)' },
    { name: 'an error that was thrown', broken: '(() => { throw error; })()' },
  ])(
    'ends with 1 and one line, without the fields of the error, for $name and was not caught',
    async ({ broken }) => {
      const code = `setTimeout(() => {
      const error = Object.assign(new Error('broken\\nin two lines'), { headers: { authorization: 'hidden' } });
      ${broken};
    }, 1_000);`;
      const first = ['--import', temporaryFolder({ 'broken.mjs': code }).at('broken.mjs')];
      const quiet = await start(['simulate', '--port', '0'], { first }).ended;
      expect(quiet).toMatchObject({
        code: 1,
        signal: null,
        err: 'dms-operator: this is a bug, please report it with what --debug adds: Error: broken in two lines\n',
      });
      const { err, ...end } = await start(['simulate', '--port', '0', '--debug'], { first }).ended;
      expect(end).toMatchObject({ code: 1, signal: null });
      expect(err).toMatch(
        /^dms-operator: this is a bug, please report it: Error: broken in two lines at [^\n]*\n$/,
      );
      expect(err).not.toContain('hidden');
    },
  );

  it('ends at SIGTERM without waiting for a read', { timeout: 30_000 }, async () => {
    const asked = Promise.withResolvers<void>();
    const server = createServer(() => asked.resolve());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const { child, ended } = runOn(`http://127.0.0.1:${port}`);
    await asked.promise;
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it(
    'waits at SIGTERM for a running write, and ends at once at a second SIGTERM',
    { timeout: 30_000 },
    async () => {
      const { service, url } = await servedService([{ name: 'a' }]);
      service.faults.add({ match: { operation: 'patch' }, fault: { kind: 'hang' } });
      const { child, ended } = runOn(url);
      while (service.log.count('patch') === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill('SIGTERM');
      const first = await Promise.race([
        ended,
        new Promise((resolve) => setTimeout(resolve, 1_000, 'still there')),
      ]);
      expect(first).toBe('still there');
      child.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 143, err: '' });
    },
  );
});

/** Runs the controller on a folder with one deployment of the service at an address. */
function runOn(url: string): ReturnType<typeof start> {
  const connection = connectionYaml('default').replace('https://deploy.example.com', url);
  const folder = temporaryFolder({ 'all.yaml': together(connection, deploymentYaml('a')) });
  return start(['run', '--dir', folder.path, '--metrics-address', '0', '--log-level', 'debug']);
}
