import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import { cacheFolder } from './cache-folder.ts';
import { withFileLock } from './file-lock.ts';
import { goBuild } from './go-build.ts';

/**
 * Modules of test/support/go, and the package of the program in each: software that exists only in Go and is tested
 * with ours.
 */
const PACKAGES = {
  kstatus: '.',
  lua: '.',
  setters: '.',
  helm: 'helm.sh/helm/v4/cmd/helm',
  promtool: 'github.com/prometheus/prometheus/cmd/promtool',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform',
} as const;

/** Build tags that omit parts of programs which no test uses. */
const TAGS: Partial<Record<keyof typeof PACKAGES, string>> = {
  // Clients for thirty clouds, which take most of its build time.
  promtool: 'remove_all_sd',
};

/** A program of test/support/go. */
export type GoProgramName = keyof typeof PACKAGES;

/** Passes JSON to a program and returns its JSON answer. */
export type GoProgram = (input: unknown) => Promise<unknown>;

/** The first run also downloads modules, and later callers wait for the builds of earlier ones. */
const BUILD_LIMIT_MS = 40 * 60_000;

/**
 * Gives the test file the path of one of the programs, built once per machine. Without Go, the tests of the file are
 * skipped and say why. Call it at the top of a file, and the returned function inside tests and later hooks.
 */
export function useGoBinary(name: GoProgramName): () => string {
  const missing = spawnSync('go', ['version']).error !== undefined;
  let program = '';
  beforeAll(async () => {
    if (!missing) program = await goBinary(name);
  }, BUILD_LIMIT_MS);
  beforeEach((context) => {
    context.skip(missing, 'there is no go command on the PATH');
  });
  return () => program;
}

/** Gives the test file one of the programs with JSON input and output, as `useGoBinary` does. */
export function useGoProgram(name: GoProgramName): GoProgram {
  const program = useGoBinary(name);
  return (input) => answerOf(program(), input);
}

/** Returns the path of one of the programs, and builds it if necessary. Throws without Go. */
export async function goBinary(name: GoProgramName): Promise<string> {
  const module = join(import.meta.dirname, '..', 'go', name);
  const tags = TAGS[name] ?? '';
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}${tags}\n`);
  for (const file of ['go.mod', 'go.sum', 'main.go'].map((name) => join(module, name)))
    if (existsSync(file)) hash.update(readFileSync(file));
  const folder = cacheFolder('go-programs');
  const program = join(folder, `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // One build at a time: each uses every processor, and two tests may need the same program.
  await withFileLock(
    join(folder, 'build.lock'),
    () => undefined,
    async () => {
      if (existsSync(program)) return;
      const output = `${program}.tmp-${process.pid}`;
      await goBuild({ module, importPath: PACKAGES[name], tags, linkerFlags: '-s -w', output });
      renameSync(output, program);
    },
  );
  return program;
}

function answerOf(program: string, input: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, { stdio: 'pipe' });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(out));
      else reject(new Error(`${program} ended with ${code}: ${err}`));
    });
    child.stdin.on('error', () => undefined).end(JSON.stringify(input));
  });
}
