import { describe, expect, it } from 'vitest';
import { recording } from '../support/recording.ts';
import { run } from '../support/terminal.ts';

/** It plays ten times as fast as real time; a step that does not happen is given twelve seconds. */
const LIMIT_MS = 60_000;

/** Deployments are worked on at once, and either may come first: lines of one stand together, and requests stand by their bodies. */
function inOrder(out: string): string {
  const nameOf = (line: string): string => /^ {3}(\S+) {2,}/.exec(line)?.[1] ?? '';
  const signOf = (line: string): string =>
    nameOf(line) === 'service' ? line.replace(/\/v2\S+/, '') : nameOf(line);
  const parts = out.split(/^(?=\d\. )/m);
  return parts
    .map((part) => {
      const lines = part.split('\n');
      const named = lines.filter((line) => nameOf(line) !== '');
      const sorted = named.toSorted((a, b) => (signOf(a) < signOf(b) ? -1 : signOf(a) > signOf(b) ? 1 : 0));
      return lines.map((line) => (nameOf(line) === '' ? line : (sorted.shift() ?? ''))).join('\n');
    })
    .join('');
}

describe('demo', () => {
  it.concurrent('looks as it was agreed', { timeout: LIMIT_MS }, async ({ expect }) => {
    const ended = await run(['demo'], { columns: 120, environment: { NO_COLOR: '1' } });
    const text = recording(['demo'], { ...ended, out: inOrder(ended.out) });
    await expect(text).toMatchFileSnapshot('../golden/demo.txt');
  });
});

describe('demo --semantics', () => {
  it.concurrent.each(['replace,masked,on-presence', 'cleared,empty-204,lag:20s,round1'])(
    'tells the same story of a service that is %s',
    { timeout: LIMIT_MS },
    async (words) => {
      const { out, err, code } = await run(['demo', '--semantics', words]);
      expect({ err, code }).toEqual({ err: '', code: 0 });
      expect(out).toContain('Everything happened as told.');
    },
  );

  it('names what stopped, of a service that proves nothing', { timeout: LIMIT_MS }, async () => {
    const { err, code } = await run(['demo', '--semantics', 'omitted,empty-204,never']);
    expect(code).toBe(1);
    expect(err).toMatch(/both resources become Ready\n  support-agent says NotConverging: the same secrets/);
  });

  it('says in one line which word is none', async () => {
    const { out, err, code } = await run(['demo', '--semantics', 'replace,nonsense']);
    expect({ out, code }).toEqual({ out: '', code: 64 });
    expect(err).toMatch(/^dms-operator: --semantics: "nonsense" is no such word; see .*\n$/);
  });
});
