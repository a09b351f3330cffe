import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readFault, readPlannedAction } from '../../src/simulator/server/control-reading.ts';
import { readSeed } from '../../src/simulator/server/read-seed.ts';
import type { WireJson } from '../../src/wire/wire-json.ts';

const TEXT = readFileSync('docs/simulator.md', 'utf8');

/** Returns the fenced blocks of one language. */
function blocks(language: string): readonly string[] {
  return [...TEXT.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, block]) => block ?? '',
  );
}

describe('the documentation of the simulated service', () => {
  it('contains a seed that is usable as it is', () => {
    const seed = readSeed(parse(blocks('yaml').find((block) => block.includes('deployments:')) ?? ''));
    expect(seed.deployments).toHaveLength(502);
    expect(seed.integrations[0]?.repositories).toHaveLength(1);
    expect(seed.faults).toMatchObject([{ fault: { kind: 'apply-then-fail' }, times: 1 }]);
    expect(seed.actions).toMatchObject([{ action: { kind: 'edit', deployment: 'support-agent' } }]);
    expect(seed.semantics).toMatchObject({ secretsEcho: 'stars', auth: { kind: 'header' } });
  });

  it('contains requests with JSON bodies, and a valid planned fault', () => {
    const bodies = blocks('console').flatMap((block) =>
      [...block.matchAll(/-d '([^']*)'/g)].map(([, body]) => JSON.parse(body ?? '') as WireJson),
    );
    expect(bodies).toHaveLength(4);
    expect(readFault(bodies[2] ?? null)).toMatchObject({ fault: { kind: 'apply-then-fail', how: 'reset' } });
    expect(readPlannedAction(bodies[3] ?? null)).toMatchObject({ when: 'after', match: { status: 429 } });
  });

  it('contains a credential that changes its tenant', () => {
    const seed = readSeed(parse(blocks('yaml').find((block) => block.includes('tenant-header')) ?? ''));
    expect(seed.semantics.auth).toMatchObject({ kind: 'tenant-header', name: 'X-Key' });
    expect(seed.actions).toMatchObject([{ action: { kind: 'switch', seconds: 300 } }]);
  });

  it.each(
    TEXT.split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => cells.length === 6 && cells[1]?.startsWith('`'))
      .map((cells): [string, string] => [cells[1] ?? '', cells[4] ?? '']),
  )('lists fault %s, which exists (effect: %s)', (cell, effect) => {
    const kind = cell.replaceAll('`', '');
    const parts: Record<string, WireJson> = {
      delay: { ms: 1 },
      status: { status: 500 },
      headers: { headers: {} },
      'fail-then-apply-late': { afterMs: 1 },
    };
    const fault = { kind, ...(parts[kind] as object) } as WireJson;
    expect(readFault({ fault })).toMatchObject({ fault: { kind } });
    expect(['yes', 'no', 'yes, later']).toContain(effect);
  });
});
