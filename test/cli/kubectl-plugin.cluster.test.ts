import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const plane = useControlPlane();
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

interface KrewManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly {
      readonly uri: string;
      readonly sha256: string;
      readonly bin: string;
      readonly selector: { readonly matchExpressions: readonly { readonly key: string }[] };
    }[];
  };
}

describe('kubectl dms', () => {
  it('is found by the real kubectl, and uses this name for itself', async () => {
    await plane().installCRDs();
    const namespace = await plane().createNamespace('plugin');
    const folder = temporaryFolder({ 'link/keep': '' });
    symlinkSync(at('src/main.ts'), folder.at('link/kubectl-dms'));
    // As the package is installed, except that it uses the node of the tests and not the first one on the PATH.
    writeFileSync(
      folder.at('kubectl-dms'),
      `#!/bin/sh\nexec '${process.execPath}' '${folder.at('link/kubectl-dms')}' "$@"\n`,
    );
    chmodSync(folder.at('kubectl-dms'), 0o755);
    const env = { ...process.env, PATH: `${folder.path}:${process.env['PATH']}` };
    const kubectl = (...args: readonly string[]): string =>
      execFileSync(plane().kubectlFile, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect(kubectl('dms', 'pause', '--help')).toContain('kubectl dms pause agent');
    const cluster = ['--kubeconfig', plane().kubeconfigFile, '-n', namespace];
    expect(JSON.parse(kubectl('dms', 'status', '-o', 'json', ...cluster))).toEqual({
      formatVersion: 1,
      resources: [],
    });
  });
});

describe('the manifest for krew', () => {
  const check = (manifest: KrewManifest): void => {
    const { apiVersion, kind, metadata, spec } = manifest;
    expect({ apiVersion, kind, name: metadata.name }).toEqual({
      ...{ apiVersion: 'krew.googlecontainertools.github.com/v1alpha2', kind: 'Plugin' },
      name: 'dms',
    });
    expect(spec.version).toBe(`v${packageFile.version}`);
    expect(spec.shortDescription).toMatch(/^[^\r\n]{1,50}$/);
    expect(spec.platforms.length).toBeGreaterThan(0);
    for (const { uri, sha256, bin, selector } of spec.platforms) {
      expect(uri).toMatch(/^https:\/\/.*\.tar\.gz$/);
      expect(sha256).toMatch(/^[a-f0-9]{64}$/);
      expect(bin).toBe(packageFile.bin['kubectl-dms'].replace('dist/', ''));
      expect(selector.matchExpressions.length).toBeGreaterThan(0);
      for (const { key } of selector.matchExpressions) expect(['os', 'arch']).toContain(key);
    }
  };

  it('follows the rules of krew', () => {
    check(parse(readFileSync(at('manifests/krew/dms.yaml'), 'utf8')) as KrewManifest);
  });

  it('is made for a release with the checksum of its archive', () => {
    const folder = temporaryFolder({ 'dms-operator.tar.gz': 'an archive' });
    const uri = 'https://example.com/dms-operator.tar.gz';
    const text = execFileSync(
      process.execPath,
      [at('scripts/krew-manifest.ts'), folder.at('dms-operator.tar.gz'), uri],
      { encoding: 'utf8', cwd: dirname(folder.path) },
    );
    const manifest = parse(text) as KrewManifest;
    check(manifest);
    const sha256 = createHash('sha256').update('an archive').digest('hex');
    expect(manifest.spec.platforms[0]).toMatchObject({ uri, sha256 });
  });
});
