import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What an image says about itself. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Images and containers in a folder of their own, which is gone after `end`. */
export interface ImageStore {
  /** Makes an image of the files of a folder or a tar file, with these variables. */
  imported(name: string, files: string, env?: Readonly<Record<string, string>>): Promise<void>;
  /** Builds a Dockerfile of a context without looking for any base elsewhere. */
  build(about: {
    readonly name: string;
    readonly context: string;
    readonly buildArgs: Readonly<Record<string, string>>;
    readonly volumes: readonly string[];
  }): Promise<void>;
  configOf(name: string): Promise<ImageConfig>;
  /** The root folder of a new container of an image. */
  unpacked(name: string): Promise<string>;
  end(): Promise<void>;
}

/** Nothing that the kernel of a virtual machine or a container would refuse: plain folders, and chroot. */
const DRIVER = ['--storage-driver', 'vfs'];
const ISOLATION = ['--isolation', 'chroot', '--network', 'host', '--pull-never'];

/** Opens an empty store. */
export async function imageStore(): Promise<ImageStore> {
  const folder = await mkdtemp(join(tmpdir(), 'dms-operator-images-'));
  const where = [...DRIVER, '--root', join(folder, 'images'), '--runroot', join(folder, 'run')];
  const buildah = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('buildah', [...where, ...words], { maxBuffer: 2 ** 26 });
    return stdout.trim();
  };
  return {
    async imported(name, files, env = {}) {
      const container = await buildah('from', 'scratch');
      await buildah('add', '--quiet', container, files, '/');
      const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      if (variables.length > 0) await buildah('config', ...variables, container);
      await buildah('commit', '--quiet', '--rm', container, name);
    },
    async build({ name, context, buildArgs, volumes }) {
      const words = Object.entries(buildArgs).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
      const mounts = volumes.flatMap((volume) => ['--volume', volume]);
      await buildah('bud', ...ISOLATION, '--timestamp', '0', ...words, ...mounts, '--tag', name, context);
    },
    async configOf(name) {
      const inspected = JSON.parse(await buildah('inspect', '--type', 'image', name)) as Inspected;
      return inspected.OCIv1.config;
    },
    async unpacked(name) {
      return buildah('mount', await buildah('from', '--pull-never', name));
    },
    end: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Inspected {
  readonly OCIv1: { readonly config: ImageConfig };
}
