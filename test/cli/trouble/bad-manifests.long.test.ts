import { chmodSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Bad, BOMB, commandsWith, GOOD, LARGE, runOn, SECRET } from '../support/bad-input.ts';

const MANIFESTS: readonly Bad[] = [
  {
    name: 'nothing there',
    files: {},
    path: '$/none',
    says: /^none: there is no such file or folder; expected /,
  },
  {
    name: 'a folder without a file',
    files: { 'empty/.keep': '' },
    path: '$/empty',
    says: /^empty: there are no manifests/,
  },
  {
    name: 'a path below a file',
    files: { file: GOOD },
    path: '$/file/a.yaml',
    says: /^file\/a\.yaml: this cannot be read/,
  },
  {
    name: '50 MB',
    files: { file: LARGE },
    says: /^file: this file is too large; expected files of at most 8 MiB$/,
  },
  {
    name: 'a YAML bomb',
    files: { file: `${GOOD}${BOMB}\n` },
    says: /^file:1:1: the aliases of this document expand too far; expected /,
  },
  {
    name: 'a key twice',
    files: { file: `${GOOD}kind: ${SECRET}\n` },
    says: /^file:\d+:1: this key stands twice in one map; expected each key once$/,
  },
  {
    name: 'a tab',
    files: { file: `${GOOD}status:\n\ta: ${SECRET}\n` },
    says: /^file:\d+:1: a tab is used as indentation; expected spaces$/,
  },
  {
    name: 'an unclosed quote',
    files: { file: `${GOOD}  approval: "${SECRET}\n` },
    says: /^file:\d+:\d+: a quote, a bracket or a colon is missing; expected /,
  },
  {
    name: 'another encoding',
    files: { file: Buffer.from(`\uFEFF${GOOD}`, 'utf16le') },
    says: /^file: this is not UTF-8 text; expected the file saved as UTF-8$/,
  },
  {
    name: 'a binary file',
    files: { file: Buffer.from([0, 1, 2, 0xff]) },
    says: /^file: this is not UTF-8 text/,
  },
];

/** Commands that use manifests, with their other words. */
const TAKING: readonly (readonly string[])[] = [
  ['plan'],
  ['apply', '--yes'],
  ['import', '--all'],
  ['get', 'deployments'],
  ['describe', 'a'],
  ['status'],
  ...['approve', 'pause', 'resume', 'reconcile', 'redeploy'].map((verb) => [verb, 'a']),
];

/** The errors about a folder without a manifest. */
const NOTHING_THERE =
  /there are no manifests|no Deployment of dms-operator|there is no Connection|none is declared there/;

describe('unknown words for behaviour', () => {
  it.each([
    ['lst', '"lst" is no such word (Did you mean list?)'],
    ['replace,maskd', '"maskd" is no such word (Did you mean masked?)'],
    ['nestd:replace', '"nestd:replace" is no such word (Did you mean nested:replace?)'],
  ])('are reported with the most similar word: %s', async (words, says) => {
    const { err, code } = await runOn({}, ['simulate', '--port', '0', '--semantics', words]);
    const line = `dms-operator: --semantics: ${says}; see 'simulate --semantics list'\n`;
    expect({ err, code }).toEqual({ err: line, code: 64 });
  });
});

describe('unusable manifests', () => {
  it.each(MANIFESTS)(
    'are reported in one line by validate: $name',
    async ({ files, path = '$/file', says }) => {
      const { text, code } = await runOn(files, ['validate', '-f', path]);
      expect(code).toBe(1);
      const [line = '', summary = '', ...more] = text.trimEnd().split('\n');
      expect(line).toMatch(says);
      expect(summary).toMatch(/^0 valid documents, 1 error, 0 warnings/);
      expect(more).toEqual([]);
    },
  );

  it.each(MANIFESTS)(
    'are reported in one line by every command that takes them: $name',
    async ({ files, path = '$/file', says }) => {
      for (const words of TAKING) {
        const { out, err, text, code } = await runOn(files, [...words, '-f', path]);
        expect({ words, out, code }).toEqual({ words, out: '', code: 1 });
        expect({ words, lines: err.match(/\n/g)?.length }).toEqual({
          words,
          lines: words[0] === 'apply' && !err.startsWith('dms-operator: ') ? 2 : 1,
        });
        const [line = ''] = text.split('\n');
        expect(line.replace('dms-operator: ', '')).toMatch(path.endsWith('empty') ? NOTHING_THERE : says);
      }
    },
  );

  it('are tested with every command that takes manifests', () => {
    const taking = [...TAKING.map(([command]) => command), 'validate'];
    expect(new Set(taking)).toEqual(new Set(commandsWith('--filename')));
  });

  it.skipIf(process.getuid?.() === 0)('are reported in one line if they are not readable', async () => {
    const { text, code } = await runOn({ 'shut/a.yaml': GOOD }, ['validate', '-f', '$/shut'], (path) =>
      chmodSync(`${path}/shut`, 0o311),
    );
    expect({ text, code }).toMatchObject({
      text: expect.stringMatching(/^shut: this cannot be read/) as string,
      code: 1,
    });
  });

  it('are reported in one line if symbolic links form a cycle', async () => {
    const { text, code } = await runOn({}, ['validate', '-f', '$/loop'], (path) =>
      symlinkSync('loop', `${path}/loop`),
    );
    expect(code).toBe(1);
    expect(text).toMatch(/^loop: the symbolic links go round in a circle; expected /);
  });

  it.each([
    { name: 'Windows line ends', text: GOOD.replaceAll('\n', '\r\n') },
    { name: 'a byte order mark', text: `\uFEFF${GOOD}` },
    { name: 'both', text: `\uFEFF${GOOD.replaceAll('\n', '\r\n')}` },
  ])('do not include manifests with $name', async ({ text }) => {
    const { out, code } = await runOn({ file: text }, ['validate', '-f', '$/file']);
    expect({ out, code }).toEqual({
      out: '1 valid document, 0 errors, 0 warnings\nnote: named, but declared by no document here: Connection team-a/default\n',
      code: 0,
    });
    const shown = await runOn({ file: text }, ['status', '-f', '$/file', '-o', 'name']);
    expect(shown).toMatchObject({ out: 'deployment.dms-operator.dev/a\n', err: '', code: 0 });
  });

  it.each([
    ['--workers', 'x'],
    ['--log-level', 'loud'],
  ])('do not hide a wrong flag of a controller, whose error names the help: %s %s', async (...flag) => {
    const { err, code } = await runOn({ 'a.yaml': GOOD }, ['run', '--dir', '$', ...flag]);
    expect(code).toBe(64);
    expect(err).toMatch(/^dms-operator: --[^\n]*; see 'dms-operator run --help'\n$/);
  });

  it.each([
    {
      name: 'a folder that is not there',
      words: ['--dir', '$/none'],
      says: /^none: there is no such folder; name one that exists$/,
    },
    {
      name: 'secrets that are not there',
      words: ['--dir', '$', '--secrets-dir', '$/none'],
      says: /^none: there is no such folder of secret files; make it/,
    },
    {
      name: 'a state that is damaged',
      words: ['--dir', '$', '--state', '$/state.json'],
      says: /^state\.json: /,
    },
  ])('end a controller of a folder before it starts: $name', async ({ words, says }) => {
    const files = { 'a.yaml': GOOD, 'state.json': `{"${SECRET}` };
    const { err, text, code } = await runOn(files, [
      'run',
      '--metrics-address',
      '0',
      '--log-level',
      'error',
      ...words,
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/^dms-operator: [^\n]+\n$/);
    expect(text.replace('dms-operator: ', '').trimEnd()).toMatch(says);
  });
});
