import { describe, expect, it } from 'vitest';
import { run } from './support/terminal.ts';

/** It plays ten times as fast as real time; a step that does not happen is given twelve seconds. */
const LIMIT_MS = 60_000;

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
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(/^dms-operator: --semantics: nonsense: is not a switch word; expected .*\n$/);
  });
});
