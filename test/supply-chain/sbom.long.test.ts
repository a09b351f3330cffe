import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { sbomOf, type SbomParts } from '../../scripts/sbom.ts';
import { BUILD_LIMIT_MS, sharedBundle } from '../support/bundle/shared-bundle.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { readonly license: { readonly id: string } }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly components?: readonly Component[];
}

interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

let text = '';
let notices = '';
let sbom: Sbom;

beforeAll(async () => {
  const folder = dirname(await sharedBundle());
  text = readFileSync(join(folder, 'sbom.cdx.json'), 'utf8');
  notices = readFileSync(join(folder, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
  sbom = JSON.parse(text) as Sbom;
}, BUILD_LIMIT_MS);

describe('the bill of materials of the bundle', () => {
  test('is what the schema of CycloneDX 1.6 asks for, and would be refused with a field that it does not know', () => {
    const isBill = schemaOfBills();
    isBill(sbom);
    expect(isBill.errors).toBeNull();
    expect(isBill({ ...sbom, unknown: 1 })).toBe(false);
  });

  test('names the same packages as the licences beside it', () => {
    const packages = sbom.components.filter(({ type }) => type === 'library');
    const headings = packages.map(
      ({ name, version, licenses }) => `${name} ${version} (${licenses?.[0]?.license.id})`,
    );
    const told = notices.split(`\n${'-'.repeat(80)}\n\n`).map((entry) => entry.split('\n', 1)[0]);
    expect(headings).toEqual(told);
    for (const { hashes } of packages) {
      expect(hashes).toEqual([
        { alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) as string },
      ]);
    }
  });

  test('names every package that the program requires', () => {
    const names = sbom.components.map(({ name }) => name);
    expect(Object.keys(packageFile.dependencies).filter((name) => !names.includes(name))).toEqual([]);
    expect(names).not.toContain('vitest');
  });

  test('names the packages in the console page, which the bundle contains as text', () => {
    const names = sbom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['preact', '@preact/signals', '@preact/signals-core']));
    expect(notices).toContain('\npreact ');
  });

  test('names the Node.js of the image, with its built-in components', () => {
    const node = sbom.components.find(({ type }) => type === 'platform');
    expect(node).toMatchObject({ name: 'node', version: packageFile.devDependencies.node });
    expect(node?.components?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['openssl', 'v8', 'zlib']),
    );
  });

  test('connects the program with all of its components', () => {
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of sbom.dependencies.find((one) => one.ref === ref)?.dependsOn ?? []) visit(next);
    };
    visit(sbom.metadata.component['bom-ref']);
    expect([...reached].toSorted()).toEqual(
      [sbom.metadata.component, ...sbom.components].map((one) => one['bom-ref']).toSorted(),
    );
  });
});

/** Returns the schema that CycloneDX publishes, from its library for JavaScript. */
function schemaOfBills(): ValidateFunction {
  const require = createRequire(import.meta.url);
  const library = dirname(require.resolve('@cyclonedx/cyclonedx-library/package.json'));
  const read = (file: string): object =>
    JSON.parse(readFileSync(join(library, 'res/schema', file), 'utf8')) as object;
  const ajv = new Ajv({
    strict: false,
    formats: {
      'date-time': (date) => !Number.isNaN(Date.parse(date)),
      uri: (address) => URL.canParse(address),
      'iri-reference': (address) => URL.canParse(address, 'https://example.com'),
      'idn-email': (address) => address.includes('@'),
    },
  });
  // The library uses the names by which the schemas refer to one another.
  for (const file of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json']) {
    ajv.addSchema({ ...read(file), $id: `http://cyclonedx.org/schema/${file}` });
  }
  return ajv.compile(read('bom-1.6.SNAPSHOT.schema.json'));
}

describe('a bill of materials', () => {
  const parts: SbomParts = {
    program: { name: 'program', version: '1.0.0', description: 'does it', license: 'Apache-2.0' },
    bundled: {
      packages: [
        { folder: 'node_modules/@b/a', name: '@b/a', version: '2.0.0', license: 'MIT', imports: [] },
      ],
      importedByUs: ['node_modules/@b/a'],
    },
    lockFile: { lockfileVersion: 3, packages: { 'node_modules/@b/a': { integrity: 'sha512-AAECAw==' } } },
    nodeVersions: process.versions,
    esbuildVersion: '0.1.0',
    sourceDate: undefined,
  };

  test('is the same for the same parts, and has another number for other parts', () => {
    expect(sbomOf(parts)).toEqual(sbomOf(structuredClone(parts)));
    const { serialNumber, ...other } = sbomOf({ ...parts, esbuildVersion: '0.2.0' }) as Numbered;
    expect(serialNumber).not.toBe((sbomOf(parts) as Numbered).serialNumber);
    expect(other.components[0]).toMatchObject({
      purl: 'pkg:npm/%40b/a@2.0.0',
      hashes: [{ alg: 'SHA-512', content: '00010203' }],
    });
  });

  test('is not made if the lock file has no checksum for a part of the bundle', () => {
    expect(() => sbomOf({ ...parts, lockFile: { lockfileVersion: 3, packages: {} } })).toThrow(
      'node_modules/@b/a is in the bundle, and its checksum not in the lock file',
    );
  });
});

interface Numbered extends Sbom {
  readonly serialNumber: string;
}
