import { describe, expect, it } from 'vitest';
import { errorText } from '../../../src/cli/program/error-text.ts';
import { renderData, renderJson } from '../../../src/cli/render/render-data.ts';
import { renderTable } from '../../../src/cli/render/render-table.ts';
import { ExpectedError } from '../../../src/base/expected-error.ts';
import { parse } from 'yaml';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../support/terminal.ts';

/** Characters that a terminal acts on, a reader does not see, or a workflow takes for a command. */
const SIGNS = [
  '\u001b[2K',
  '\u009b31m',
  '\u009d0;x',
  '\u202e',
  '\u200b',
  '\u2066',
  '\u2028',
  '\ufeff',
  '\u{e0041}',
];
const UNSEEN = /[^\P{C}\n]|\p{Zl}|\p{Zp}/u;

describe('an invisible character', () => {
  it.each(SIGNS)('is escaped for programs, and reads as the same text: %j', (sign) => {
    const value = { [`key${sign}`]: [`a${sign}b`, `${sign}\n${sign}`] };
    for (const format of ['json', 'yaml'] as const) {
      const text = renderData(value, format);
      expect(text).not.toMatch(UNSEEN);
      expect(parse(text)).toEqual(value);
    }
    expect(JSON.parse(renderJson(value))).toEqual(value);
  });

  it.each(SIGNS)('is left out of tables and errors: %j', (sign) => {
    expect(renderTable({ header: ['A'], rows: [[`a${sign}b`]] })).not.toMatch(UNSEEN);
    expect(errorText(new ExpectedError(`a${sign}b\nc`), 'x', false)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });

  it.each(['text', 'github', 'sarif', 'json'])(
    'is no part of what validate says for a file: -o %s',
    async (format) => {
      const name = `a\n::add-mask::x\u001b[2K\u202e.yaml`;
      const folder = temporaryFolder({ [name]: 'kind: Deployment\napiVersion: dms-operator.dev/v1alpha1\n' });
      const { out, err } = await run(['validate', '-f', folder.path, '-o', format]);
      expect(out + err).not.toMatch(UNSEEN);
      expect(out + err).not.toMatch(/^::add-mask/m);
      expect(out).toContain('add-mask');
    },
  );

  it('is no part of what plan and apply say of a file', async () => {
    const folder = temporaryFolder({
      'a\n::add-mask::x\u001b[2K.yaml': 'kind: Deployment\napiVersion: dms-operator.dev/v1alpha1\n',
    });
    for (const command of ['plan', 'apply']) {
      const { out, err } = await run([command, '-f', folder.path]);
      expect(out + err).not.toMatch(UNSEEN);
      expect(out + err).not.toMatch(/^::add-mask/m);
    }
  });
});
