import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, realpath, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../support/programs/cache-folder.ts';

const run = promisify(execFile);
/** Where npm keeps what it has fetched while the image is built: a place of no user, whoever that is there. */
const NPM_CACHE = '/var/cache/npm';
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';

/**
 * A tar file of a system that can build the image, in the place of an official image of Node.js, which is the same: a
 * Debian of the kind of this machine from the mirror that apt uses here, with Node.js and npm under /usr/local. Made once
 * per machine.
 */
export async function buildBase(): Promise<string> {
  const npm = dirname(dirname(await realpath((await run('which', ['npm'])).stdout.trim())));
  const { release, mirror } = await aptSource();
  const key = [release, process.arch, process.version, readFileSync(join(npm, 'package.json'), 'utf8')];
  const digest = createHash('sha256').update(key.join('\n')).digest('hex').slice(0, 16);
  const folder = cacheFolder('image-bases');
  const file = join(folder, `${release}-${digest}.tar`);
  if (existsSync(file)) return file;

  await mkdir(folder, { recursive: true });
  const root = await mkdtemp(join(tmpdir(), 'dms-operator-base-'));
  try {
    await run('debootstrap', ['--variant=minbase', release, root, mirror], { maxBuffer: 2 ** 26 });
    await putNode(root, npm);
    await copyFile(join('/', CERTIFICATES), join(root, CERTIFICATES)).catch(() => undefined);
    const unfinished = `${file}.tmp-${process.pid}`;
    await run('tar', ['--create', '--file', unfinished, '--directory', root, '.']);
    await rename(unfinished, file);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return file;
}

/** Where npm finds packages here and keeps them there, as the variables of a base say it. */
export async function npmSettings(): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await run('npm', ['config', 'get', 'registry']);
  const trusted =
    process.env['NODE_EXTRA_CA_CERTS'] === undefined ? {} : { NODE_EXTRA_CA_CERTS: `/${CERTIFICATES}` };
  return { NPM_CONFIG_REGISTRY: stdout.trim(), NPM_CONFIG_CACHE: NPM_CACHE, ...trusted };
}

/** What npm has fetched once on this machine, as a volume for the build. */
export async function npmCacheVolume(): Promise<string> {
  return `${(await run('npm', ['config', 'get', 'cache'])).stdout.trim()}:${NPM_CACHE}`;
}

async function putNode(root: string, npm: string): Promise<void> {
  const local = join(root, 'usr/local');
  await copyFile(process.execPath, join(local, 'bin/node'));
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
}

/** The release that this machine is, and where apt gets it from. */
async function aptSource(): Promise<{ readonly release: string; readonly mirror: string }> {
  const [, release = ''] = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(RELEASE) $(REPO_URI)']);
  const [, mirror] = new RegExp(`^${release} (\\S+)$`, 'm').exec(stdout) ?? [];
  if (mirror === undefined) throw new Error(`apt names no mirror for ${release}`);
  return { release, mirror: mirror.replace(/\/$/, '') };
}
