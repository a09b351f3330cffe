import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One report of oxlint: which rule, where, with which message of ours. */
export interface Report {
  readonly file: string;
  /** Counted from 1; 0 where the report is about the file as a whole. */
  readonly line: number;
  readonly rule: string;
  readonly help: string;
}

interface OxlintOutput {
  readonly diagnostics: readonly {
    readonly filename: string;
    readonly code?: string;
    readonly message: string;
    readonly help?: string;
    readonly labels: readonly { readonly span: { readonly line: number } }[];
  }[];
}

/** Runs the real oxlint over a tree, with the configuration file at its root. */
export function lint(root: string): Report[] {
  const require = createRequire(import.meta.url);
  const oxlint = join(dirname(require.resolve('oxlint/package.json')), 'bin', 'oxlint');
  const run = spawnSync(process.execPath, [oxlint, '--format', 'json', '.'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (!run.stdout.startsWith('{')) throw new Error(`oxlint did not report: ${run.stdout}${run.stderr}`);
  const output = JSON.parse(run.stdout) as OxlintOutput;
  return output.diagnostics.map(({ filename, code, message, help, labels }) => ({
    file: filename,
    line: labels[0]?.span.line ?? 0,
    rule: /\((.*)\)/u.exec(code ?? '')?.[1] ?? code ?? message,
    help: help ?? message,
  }));
}

/**
 * Lints a temporary tree that has this repository's own lint configuration and nothing but the given files
 * (path to lines), and removes it.
 */
export function lintPlanted(files: ReadonlyMap<string, readonly string[]>): Report[] {
  const root = mkdtempSync(join(tmpdir(), 'dms-operator-ladder-'));
  try {
    cpSync(join(ROOT, '.oxlintrc.json'), join(root, '.oxlintrc.json'));
    cpSync(join(ROOT, 'tsconfig.json'), join(root, 'tsconfig.repository.json'));
    cpSync(join(ROOT, 'scripts', 'lint'), join(root, 'scripts', 'lint'), { recursive: true });
    // What the rules themselves need.
    const packages = join(root, 'scripts', 'lint', 'node_modules');
    mkdirSync(packages);
    symlinkSync(join(ROOT, 'node_modules', 'scslre'), join(packages, 'scslre'), 'dir');
    // There is no node_modules at the root, so no types of Node.
    write(
      root,
      'tsconfig.json',
      '{ "extends": "./tsconfig.repository.json", "compilerOptions": { "types": [] } }',
    );
    for (const [path, lines] of files) write(root, path, `${lines.join('\n')}\n`);
    return lint(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
