import { describe, expect, it } from 'vitest';
import { recording } from '../support/recording.ts';
import { dispatch } from '../../../src/cli/dispatch.ts';
import type { FleetScreen } from '../../../src/views/screens/fleet-screen.ts';
import { signIn } from '../../support/console/served-console.ts';
import { MemoryTerminal, run } from '../support/terminal.ts';

/** The demo plays ten times as fast as real time, and waits twelve seconds for a missing step. */
const LIMIT_MS = 60_000;

/**
 * Sorts the lines of the demo. Deployments are handled at the same time and in any order, so lines are grouped by
 * deployment, and requests by their bodies.
 */
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

describe('demo --console', () => {
  it('shows the story on a page while it happens', { timeout: LIMIT_MS }, async () => {
    const terminal = new MemoryTerminal();
    const ended = dispatch(['demo', '--console'], 'dms-operator', terminal);
    await expect.poll(() => terminal.outText, { timeout: 10_000 }).toContain('console at ');
    const { get } = await signIn(/^console at (\S+)/m.exec(terminal.outText)?.[1] ?? '');
    const fleet = async () => ((await get('/api/fleet')).json as FleetScreen).bar.map(({ reason }) => reason);
    await expect.poll(fleet, { timeout: 20_000 }).toContain('RolloutInProgress');
    terminal.stop('SIGINT');
    await ended;
  });
});

describe('demo --semantics', () => {
  it.concurrent.each(['replace,masked,on-presence', 'cleared,empty-204,lag:20s,round1'])(
    'tells the same story for a service that is %s',
    { timeout: LIMIT_MS },
    async (words) => {
      const { out, err, code } = await run(['demo', '--semantics', words]);
      expect({ err, code }).toEqual({ err: '', code: 0 });
      expect(out).toContain('Everything happened as expected.');
    },
  );

  it.concurrent(
    'names the deployment that stopped, for a service that proves nothing',
    { timeout: LIMIT_MS },
    async () => {
      const { err, code } = await run(['demo', '--semantics', 'omitted,empty-204,never']);
      expect(code).toBe(1);
      // The clock of the demo is fast, so a request on a busy machine may time out: then its outcome is unknown.
      expect(err).toMatch(
        /both resources become Ready\n  support-agent says (NotConverging: the same secrets|OutcomeUnknown: )/,
      );
    },
  );

  it('reports an unknown word in one line', async () => {
    const { out, err, code } = await run(['demo', '--semantics', 'replace,nonsense']);
    expect({ out, code }).toEqual({ out: '', code: 64 });
    expect(err).toMatch(/^dms-operator: --semantics: "nonsense" is no such word; see .*\n$/);
  });
});
