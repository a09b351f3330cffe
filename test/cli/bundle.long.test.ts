import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CRD_DOCUMENTS } from '../../src/api/generated/crd-documents.ts';
import { deploymentYaml } from '../directory/support/manifests.ts';
import { BUILD_LIMIT_MS, sharedBundle } from '../support/bundle/shared-bundle.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');
const SOURCE = join(root, 'src', 'main.ts');
const CORPUS = join(root, 'test', 'api', 'corpus');

/**
 * A folder for temporary files, where the bundle is too, so that the program finds no file of the checkout from there.
 */
const elsewhere = mkdtempSync(join(tmpdir(), 'dms-operator-elsewhere-'));
let program = '';

beforeAll(async () => {
  program = await sharedBundle();
}, BUILD_LIMIT_MS);

afterAll(() => {
  rmSync(elsewhere, { recursive: true, force: true });
});

/** Starts the bundle in an unrelated folder. */
function start(...words: readonly string[]) {
  return startProgram(program, words);
}

function startProgram(file: string, words: readonly string[]) {
  const child = spawn(process.execPath, [file, ...words], {
    cwd: elsewhere,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ ...printed, code: code as number | null }));
  return { child, printed, ended };
}

describe('the bundle outside of the checkout', () => {
  it('contains only the program, its chunks, the list of its components and the manifests of the demo', () => {
    expect(readdirSync(dirname(program)).toSorted()).toEqual([
      'THIRD-PARTY-LICENCES.txt',
      'chunks',
      'dms-operator.mjs',
      'manifests',
      'sbom.cdx.json',
    ]);
  });

  it('prints help', async () => {
    const { code, out, err } = await start('--help').ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: dms-operator /);
  });

  it('prints the CRDs unchanged', async () => {
    const { code, out } = await start('crds').ended;
    expect(code).toBe(0);
    for (const { text } of CRD_DOCUMENTS) expect(out).toContain(text.trimEnd());
  });

  it('checks manifests', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    expect(await start('validate', '-f', folder.path).ended).toEqual({
      code: 0,
      out: '1 valid document, 0 errors, 0 warnings\nnote: named, but declared by no document here: Connection team-a/default\n',
      err: '',
    });
  });

  it('reports the same problems for every manifest of the corpus as the program from source', async () => {
    const words = ['validate', '-f', CORPUS, '-o', 'json'];
    const [bundled, source] = await Promise.all([start(...words).ended, startProgram(SOURCE, words).ended]);
    expect(bundled).toEqual(source);
    expect(bundled.out).toContain('is not a known field');
  });

  it('serves the simulated service', async () => {
    const { child, printed, ended } = start('simulate', '--port', '0');
    await expect.poll(() => printed.out, { timeout: 5_000 }).toContain('Ctrl-C');
    const url = /http:\S+/.exec(printed.out)?.[0] ?? '';
    const answer = await fetch(`${url}/v2/deployments`);
    expect(await answer.json()).toMatchObject({ resources: [] });
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, err: '' });
  });

  it('controls a folder until it is stopped', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const { child, printed, ended } = start('run', '--dir', folder.path, '--metrics-address', '0');
    await expect.poll(() => printed.out, { timeout: 5_000 }).toContain('"msg":"ready"');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('contains the Kubernetes client, and reports in one line that a kubeconfig is missing', async () => {
    const { code, err } = await start('run', '--kubeconfig', '/nonexistent', '--metrics-address', '0').ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^dms-operator: kubeconfig: .*\/nonexistent.*\n$/);
  });

  it('plays the demo to its end with its own manifests', { timeout: 40_000 }, async () => {
    const { code, out, err } = await start('demo').ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Everything happened as expected.');
  });
});
