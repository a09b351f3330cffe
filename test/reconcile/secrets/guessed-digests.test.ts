import { expect } from 'vitest';
import type { DeploymentStatus } from '../../../src/api/deployment.ts';
import { keyText } from '../../../src/api/metadata.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const PIN = '4711-of-the-victim';
const GUESS = 'team-b/guess';
const VICTIM = { name: AGENT };
const GUESSING = { name: 'guess' };
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };

/** Returns every string in a status that could be a digest. */
function digestsIn(status: DeploymentStatus): ReadonlySet<string> {
  const found: string[] = [];
  const search = (value: unknown): void => {
    if (typeof value === 'string' && /^(?:2:)?[\w-]{20,24}$/.test(value)) found.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(search);
  };
  search({ ...status, latestRevisionID: '', revisions: [], binding: {} });
  return new Set(found);
}

async function withVictim(w: World): Promise<ReadonlySet<string>> {
  w.connect({}, 'team-b/default');
  w.putSecret('pins', { pin: PIN });
  w.apply({
    secrets: [{ name: 'ADMIN_PIN', valueFrom: { secretKeyRef: { name: 'pins', key: 'pin' } } }],
    sourceConfig: { buildCommand: 'make' },
  });
  await w.pass(60);
  const told = digestsIn(w.status());
  expect(told.size).toBeGreaterThan(2);
  return told;
}

scenario(
  'a guess in another namespace gives no digest of the victim, whatever name it is under',
  { deployments: [VICTIM, GUESSING, SEEN], semantics: { secretsEcho: 'stars' } },
  async (w) => {
    const told = await withVictim(w);
    const names = ['ADMIN_PIN', 'PIN', 'secrets', 'secrets/ADMIN_PIN'];
    w.apply(
      {
        secrets: names.map((name) => ({ name, value: PIN })),
        sourceConfig: { buildCommand: 'make', installCommand: PIN },
      },
      GUESS,
    );
    await w.pass(120);
    const guessed = digestsIn(w.status(GUESS));
    expect(guessed.size).toBeGreaterThan(names.length);
    expect([...guessed].filter((digest) => told.has(digest))).toEqual([]);
  },
);

scenario(
  'assume-applied writes no digest that a guess could confirm elsewhere',
  { deployments: [VICTIM, GUESSING, SEEN], semantics: { secretsEcho: 'stars' } },
  async (w) => {
    const told = await withVictim(w);
    const patches = w.service.log.count('patch');
    w.apply({ secrets: [{ name: 'ADMIN_PIN', value: PIN }] }, GUESS, {
      'dms-operator.dev/assume-applied': 'a guess',
    });
    await w.pass(60);
    expect(w.service.log.count('patch')).toBe(patches);
    const guessed = digestsIn(w.status(GUESS));
    expect(guessed.size).toBeGreaterThan(1);
    expect([...guessed].filter((digest) => told.has(digest))).toEqual([]);
  },
);

scenario(
  'a status that was copied from the victim is that of a lost key: a right guess is not told',
  { deployments: [VICTIM, GUESSING, SEEN], semantics: { secretsEcho: 'stars' } },
  async (w) => {
    const sent = async (value: string): Promise<number> => {
      const before = w.service.log.count('patch');
      w.apply({ secrets: [{ name: 'ADMIN_PIN', value }] }, GUESS);
      const { applied } = w.status();
      if (applied === undefined) throw new Error(`nothing is applied to ${keyText(keyOf(AGENT))}`);
      w.store.overwriteStatus(keyOf(GUESS), { ...w.status(GUESS), applied });
      await w.pass(120);
      return w.service.log.count('patch') - before;
    };
    await withVictim(w);
    w.apply({}, GUESS);
    await w.pass(60);
    const wrong = await sent('another-guess');
    expect(await sent(PIN)).toBe(wrong);
  },
);

scenario(
  'a name that makes one secret look like another is refused, and the status says so',
  { deployments: [VICTIM, GUESSING, SEEN], semantics: { secretsEcho: 'stars' } },
  async (w) => {
    await withVictim(w);
    const patches = w.patches().length;
    const names = Array.from({ length: 100 }, (_, n) => `ADMIN_PIN\n${4700 + n}`);
    w.apply({ secrets: names.map((name) => ({ name, value: '' })) }, GUESS);
    await w.pass(120);
    expect(w.state(GUESS)).toBe('False/InvalidSpec False/InvalidSpec');
    expect(digestsIn({ ...w.status(GUESS), warningsTold: '' })).toEqual(new Set());
    expect(w.patches()).toHaveLength(patches);
  },
);

scenario(
  'a key on two lines, as a file may contain, is refused like a name',
  { deployments: [VICTIM, SEEN] },
  async (w) => {
    w.putSecret('pins', { ['ADMIN_PIN\n4711']: 'the-value-of-an-odd-key' });
    w.apply({ secretsFrom: [{ secretRef: { name: 'pins' } }] });
    await w.pass(60);
    expect(w.state()).toBe('False/InvalidSpec False/InvalidSpec');
    expect(w.patches()).toEqual([]);
  },
);
