import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The files that the matrix needs beside the packages. */
const COPIED = [
  'src',
  'test/support',
  'test/reconcile/support',
  'scripts/matrix.ts',
  'package.json',
] as const;

/** A reverted fix: the code of the fixed problem, and the patch that brings it back. */
export interface Mutant {
  readonly code: string;
  readonly patch: string;
}

/** Returns every mutant in this folder, in the order of their codes. */
export function allMutants(): readonly Mutant[] {
  return readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.patch'))
    .map((name) => ({ code: basename(name, '.patch'), patch: join(import.meta.dirname, name) }))
    .toSorted((a, b) => a.code.localeCompare(b.code, 'en', { numeric: true }));
}

/** True if a patch applies to the current code. */
export function fits({ patch }: Mutant): boolean {
  try {
    execFileSync('git', ['apply', '--check', patch], { cwd: ROOT, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** Copies what a matrix needs of the project to a folder. */
export function copyTo(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Reverts a fix in a copy. Returns a function that brings the fix back. Throws if the patch no longer applies. */
export function revertIn(folder: string, { patch }: Mutant): () => void {
  const apply = (...options: readonly string[]): void => {
    const words = ['apply', '--whitespace=nowarn', ...options, patch];
    execFileSync('git', words, { cwd: folder, stdio: 'pipe' });
  };
  apply();
  return () => apply('--reverse');
}

/** Runs a script of a copy. Resolves with its exit code and its output. */
export function runIn(
  folder: string,
  script: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    child.stdout.on('data', (data: Buffer) => output.push(data.toString()));
    child.stderr.on('data', (data: Buffer) => output.push(data.toString()));
    child.once('error', reject).once('close', (code) => resolve({ code, output: output.join('') }));
  });
}
