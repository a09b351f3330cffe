import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CRD_DOCUMENTS } from '../../src/api/generated/crd-documents.ts';
import { SCHEMAS } from '../../src/api/generated/schemas.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the generated files', () => {
  it('are the output of the generator for the CRDs and docs/conditions.md', async () => {
    const run = promisify(execFile)(process.execPath, ['scripts/generate-api.ts', '--check'], { cwd: ROOT });
    await expect(run).resolves.toMatchObject({ stderr: '' });
  });

  it('contain the CRDs verbatim', () => {
    for (const { plural, text } of CRD_DOCUMENTS) {
      expect(text).toBe(readFileSync(join(ROOT, 'crds', `${plural}.yaml`), 'utf8'));
    }
    expect(CRD_DOCUMENTS.map(({ plural }) => plural)).toEqual([
      'deployments',
      'connections',
      'clusterconnections',
    ]);
  });

  it('have schemas without descriptions and without keywords of Kubernetes', () => {
    expect(Object.keys(SCHEMAS)).toEqual(['Deployment', 'Connection', 'ClusterConnection']);
    expect(JSON.stringify(SCHEMAS)).not.toMatch(/x-kubernetes|"description":"/);
  });

  it('have patterns that both regular expression engines interpret in the same way', () => {
    const patterns = new Set(JSON.stringify(SCHEMAS).match(/"pattern":"(\\.|[^"\\])*"/g));
    expect(patterns.size).toBe(4);
    // Classes with a shorthand, look-around, back references and flags differ between RE2 and JavaScript.
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\\\[dDsSwWbB1-9]|\(\?/);
  });
});
