import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { goBuild } from '../programs/go-build.ts';
import { withProgress, type Report } from '../programs/progress.ts';

const KUBERNETES_VERSION = 'v1.36.3';
const MODULES = join(import.meta.dirname, '..', '..', 'control-plane');

interface Program {
  readonly name: string;
  readonly module: 'etcd' | 'kubernetes';
  readonly importPath: string;
  readonly linkerFlags: string;
}

/** Without the version an API server built here reports v0.0.0, and clients draw conclusions from that. */
const VERSION_FLAGS = [
  `-X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=36',
].join(' ');

const PROGRAMS: readonly Program[] = [
  { name: 'etcd', module: 'etcd', importPath: 'go.etcd.io/etcd/server/v3', linkerFlags: '-s -w' },
  kubernetesProgram('kube-apiserver'),
  kubernetesProgram('kubectl'),
];

function kubernetesProgram(name: string): Program {
  return {
    name,
    module: 'kubernetes',
    importPath: `k8s.io/kubernetes/cmd/${name}`,
    linkerFlags: `-s -w ${VERSION_FLAGS}`,
  };
}

/** Returns the inputs of a build: the pinned modules and the flags. */
export function buildInputs(): { readonly files: readonly string[]; readonly flags: readonly string[] } {
  return {
    files: ['etcd', 'kubernetes'].flatMap((module) =>
      ['go.mod', 'go.sum'].map((file) => join(MODULES, module, file)),
    ),
    flags: PROGRAMS.map((program) => `${program.importPath} ${program.linkerFlags}`),
  };
}

/** Builds the three programs with the Go toolchain on the PATH into a new folder, and returns that folder. */
export async function buildControlPlane(directory: string, report: Report): Promise<string> {
  await mkdir(directory, { recursive: true });
  for (const program of PROGRAMS) {
    await withProgress(report, `building ${program.name} with Go (about 4 min for all, the first time)`, () =>
      goBuild({
        ...program,
        module: join(MODULES, program.module),
        output: join(directory, program.name),
      }),
    );
  }
  return directory;
}
