import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ROOT, textOf } from './support.ts';

const PAGE = 'docs/first-change.md';

/** The part of a page for one step: an edit of a file, a new file, or commands for the shell. */
type Step =
  | {
      readonly kind: 'add';
      readonly file: string;
      readonly where: string;
      readonly anchor: string;
      readonly text: string;
    }
  | { readonly kind: 'replace'; readonly file: string; readonly from: string; readonly to: string }
  | { readonly kind: 'create'; readonly file: string; readonly text: string }
  | { readonly kind: 'run'; readonly commands: readonly string[] };

const BLOCK = '```text\\n(?<text>[^]*?) *```';
const STEP = new RegExp(
  [
    `[Ii]n\\s+\`(?<file>[^\`]+)\`,\\s+(?<where>before|after)\\s+the\\s+line(?:\\s+that\\s+begins\\s+with)?\\s+(?:\`\`\\s(?<begin>.+?)\\s\`\`|\`(?<anchor>[^\`]+)\`),\\s+add:\\s+${BLOCK}`,
    `[Ii]n\\s+\`(?<replaced>[^\`]+)\`,\\s+replace\\s+\`(?<from>[^\`]+)\`\\s+with\\s+\`(?<to>[^\`]+)\``,
    `Create\\s+\`(?<created>[^\`]+)\`:\\s+${BLOCK.replace('<text>', '<content>')}`,
    '```sh\\n(?<commands>[^]*?) *```',
  ].join('|'),
  'g',
);

/** Returns the steps below `## TITLE`, in order. */
function stepsUnder(title: string): readonly Step[] {
  const [, section = ''] = textOf(PAGE).split(`\n## ${title}\n`);
  const [body = ''] = section.split('\n## ');
  return [...body.matchAll(STEP)].map(({ groups = {} }): Step => {
    const { file = '', where = '', begin, anchor = begin ?? '', text = '' } = groups;
    const { replaced, from = '', to = '', created, content = '', commands } = groups;
    if (commands !== undefined) return { kind: 'run', commands: unindented(commands).trim().split('\n') };
    if (created !== undefined) return { kind: 'create', file: created, text: unindented(content) };
    if (replaced !== undefined) return { kind: 'replace', file: replaced, from, to };
    return { kind: 'add', file, where, anchor, text: unindented(text) };
  });
}

function unindented(text: string): string {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

/** Carries out one step in a copy of the checkout. */
function carryOut(step: Step, copy: string): void {
  if (step.kind === 'run') {
    for (const command of step.commands)
      execFileSync('sh', ['-c', command], {
        cwd: copy,
        stdio: 'pipe',
        encoding: 'utf8',
        env: withoutVitest(),
      });
    return;
  }
  const path = join(copy, step.file);
  if (step.kind === 'create') return writeFileSync(path, step.text, { flag: 'wx' });
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, step.kind === 'replace' ? replaced(before, step) : added(before, step));
}

function replaced(text: string, { file, from, to }: Extract<Step, { kind: 'replace' }>): string {
  expect(text.split(from), `${file} has ${from} once`).toHaveLength(2);
  return text.replace(from, () => to);
}

/** Adds lines beside the first line that begins with the anchor, with the indentation of that line. */
function added(text: string, { file, where, anchor, text: block }: Extract<Step, { kind: 'add' }>): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trimStart().startsWith(anchor));
  expect(at, `${file} has a line that begins with ${anchor}`).toBeGreaterThanOrEqual(0);
  const indent = /^ */.exec(lines[at] ?? '')?.[0] ?? '';
  const inserted = block
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line));
  return lines.toSpliced(where === 'before' ? at : at + 1, 0, ...inserted).join('\n');
}

/**
 * Returns the environment without the variables of vitest for its workers: the tests of the copy are a separate run.
 */
function withoutVitest(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$|^TEST$/.test(name)),
  );
}

const copies: string[] = [];
afterEach(() => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true });
});

function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'dms-first-change-'));
  copies.push(copy);
  const skipped = new Set(
    ['node_modules', '.git', 'dist', 'release', '.stryker'].map((name) => join(ROOT, name)),
  );
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !skipped.has(path) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

test(
  `${PAGE} leads through both changes, one after the other, to tests that pass`,
  { timeout: 300_000 },
  () => {
    const copy = copyOfCheckout();
    for (const title of ['Add a field', 'Add a reason']) {
      const steps = stepsUnder(title);
      const written = steps.flatMap((step) => (step.kind === 'run' ? [] : [dirname(step.file)]));
      expect(new Set(written).size, 'the page names files in several folders').toBeGreaterThan(3);
      for (const step of steps) carryOut(step, copy);
    }
    // Places that a step should name and that the tests of the page do not read.
    const others =
      'test/api/crds.test.ts test/docs/conditions.test.ts test/monitoring/rules.test.ts test/reconcile/binding/first-application.test.ts test/views/screens test/wire';
    const commands = ['node_modules/.bin/tsc --noEmit -p .', `npm test -- --project fast ${others}`];
    carryOut({ kind: 'run', commands }, copy);
  },
);
