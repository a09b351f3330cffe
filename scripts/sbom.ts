import { createHash } from 'node:crypto';
import type { BundledPackage, BundledPackages } from './bundled-packages.ts';
import type { LockFile } from './lock-file.ts';

/** The parts of a bill of materials. */
export interface SbomParts {
  readonly program: {
    readonly name: string;
    readonly version: string;
    readonly description: string;
    readonly license: string;
  };
  readonly bundled: BundledPackages;
  readonly lockFile: LockFile;
  /** The versions of the Node.js that builds, which is that of the image. */
  readonly nodeVersions: NodeJS.ProcessVersions;
  readonly esbuildVersion: string;
  /** The time of the source; without it the bill contains no time. */
  readonly sourceDate: Date | undefined;
}

const NODE = 'node';

/** Numbers of interfaces, which are no software. */
const NO_PARTS = new Set([NODE, 'modules', 'napi']);

/**
 * Makes a bill of materials in the form of CycloneDX 1.6: the packages in the bundle with the checksums of the lock
 * file, and Node.js with its built-in parts. The same parts always make the same bill.
 */
export function sbomOf(parts: SbomParts): object {
  const { program, bundled, lockFile } = parts;
  const self = purl(program);
  const folders = new Map(bundled.packages.map((one) => [one.folder, purl(one)]));
  const refs = (imports: readonly string[]): string[] => imports.map((folder) => folders.get(folder) ?? '');
  const content = {
    metadata: {
      ...(parts.sourceDate === undefined ? {} : { timestamp: parts.sourceDate.toISOString() }),
      lifecycles: [{ phase: 'build' }],
      tools: { components: [{ type: 'application', name: 'esbuild', version: parts.esbuildVersion }] },
      component: { type: 'application', 'bom-ref': self, ...described(program), purl: self },
    },
    components: [
      ...bundled.packages.map((one) => component(one, lockFile)),
      nodeComponent(parts.nodeVersions),
    ],
    dependencies: [
      { ref: self, dependsOn: [...refs(bundled.importedByUs), NODE] },
      ...bundled.packages.map((one) => ({ ref: purl(one), dependsOn: refs(one.imports) })),
      { ref: NODE, dependsOn: [] },
    ],
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
}

function component(bundled: BundledPackage, lockFile: LockFile): object {
  const integrity = lockFile.packages[bundled.folder]?.integrity;
  const sha512 = /^sha512-(?<base64>.+)$/u.exec(integrity ?? '')?.groups?.['base64'];
  if (sha512 === undefined)
    throw new Error(`${bundled.folder} is in the bundle, and its checksum not in the lock file`);
  return {
    type: 'library',
    'bom-ref': purl(bundled),
    ...described(bundled),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    purl: purl(bundled),
  };
}

/** Describes Node.js and its built-in parts with the data by which scanners find known vulnerabilities. */
function nodeComponent(versions: NodeJS.ProcessVersions): object {
  const { node } = versions;
  // A part without which this Node.js was built has an empty version.
  const builtIn = Object.entries(versions).filter(([name, version]) => !NO_PARTS.has(name) && version !== '');
  return {
    type: 'platform',
    'bom-ref': NODE,
    name: 'node',
    version: node,
    description:
      'Runs the program in the image. The bundle alone runs on the Node.js of its machine instead.',
    licenses: [{ license: { id: 'MIT' } }],
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${node}`,
    components: builtIn.map(([name, version]) => ({
      type: 'library',
      'bom-ref': `${NODE}/${name}`,
      name,
      version,
    })),
  };
}

function described(about: {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license: string | undefined;
}): object {
  const { name, version, description, license } = about;
  return {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    licenses: license === undefined ? [] : [{ license: { id: license } }],
  };
}

function purl({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Makes a UUID of version 8, whose bits may come from any source. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return [
    ...[hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`],
    ...[`${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)],
  ].join('-');
}
