import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deploymentYaml } from '../directory/support/manifests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Starts the program as a process of its own. */
function start(words: readonly string[], main = MAIN) {
  const child = spawn(process.execPath, [main, ...words], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => ({
    ...printed,
    code: code as number | null,
    signal: signal as string | null,
  }));
  return { child, printed, ended };
}

describe('the program as a process', () => {
  it('prints what was asked for and ends with 0', async () => {
    const { ended } = start(['--version']);
    expect(await ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
      err: '',
    });
  });

  it('ends with 64 for a command line that cannot be meant, and with 1 for what is wrong', async () => {
    const usage = start(['validate']);
    const wrong = start(['validate', '-f', '/nonexistent']);
    expect(await usage.ended).toMatchObject({ code: 64, out: '' });
    expect(await wrong.ended).toMatchObject({ code: 1, err: '' });
  });

  it('reads standard input', async () => {
    const { child, ended } = start(['validate', '-f', '-']);
    child.stdin.end(deploymentYaml('a'));
    expect(await ended).toMatchObject({ code: 0, out: '1 valid document, 0 errors, 0 warnings\n' });
  });

  it('ends at once at Ctrl-C where nothing has to be put away', async () => {
    const { child, ended } = start(['validate', '-f', '-']);
    await new Promise((resolve) => child.once('spawn', resolve));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ signal: 'SIGINT' });
  });

  it.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const)('puts away what it served, and ends with $code at $signal', async ({ signal, code }) => {
    const { child, printed, ended } = start(['simulate', '--port', '0']);
    await expect.poll(() => printed.out, { timeout: 5_000 }).toContain('Ctrl-C');
    child.kill(signal);
    expect(await ended).toMatchObject({ code, err: '' });
  });

  it('ends quietly when nobody reads on', async () => {
    const { child, ended } = start(['crds']);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('calls itself kubectl dms when kubectl calls it', async () => {
    const folder = temporaryFolder();
    symlinkSync(MAIN, folder.at('kubectl-dms'));
    const { ended } = start(['rum'], folder.at('kubectl-dms'));
    expect(await ended).toMatchObject({
      code: 64,
      err: "kubectl dms: unknown command 'rum' (Did you mean run?); see 'kubectl dms --help'\n",
    });
  });
});
