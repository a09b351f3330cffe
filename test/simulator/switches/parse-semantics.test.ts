import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSemantics } from '../../../src/simulator/switches/parse-semantics.ts';
import { WORD_GROUPS } from '../../../src/simulator/switches/word-groups.ts';
import { PLEASANT, withSemantics } from '../../../src/simulator/switches/semantics.ts';
import { semanticsPatch } from '../../../src/simulator/switches/semantics-patch.ts';
import { readDocument } from '../../../src/simulator/values/reader.ts';
import { wordsOf } from '../support.ts';

describe('switch words', () => {
  it('are read as a list; a later word overrides an earlier one', () => {
    expect(wordsOf('replace, masked,on-presence,trigger:never')).toMatchObject({
      nested: { sourceConfig: 'replace', revisionConfig: 'replace', resourceSpec: 'replace' },
      secretsEcho: 'stars',
      trigger: 'never',
    });
    expect(wordsOf('')).toEqual({});
  });

  it('combine if several can hold, and none clears the others', () => {
    expect(wordsOf('round1,reorder').normalise).toEqual(['round1', 'reorder']);
    expect(wordsOf('no-secrets,no-source-status').listShape).toEqual(['no-secrets', 'no-source-status']);
    expect(wordsOf('round1,normalise:none').normalise).toEqual([]);
  });

  it.each([
    ['rollout:30s', { rollout: { kind: 'after', seconds: 30 } }],
    ['lag:20s', { listLag: { seconds: 20 } }],
    ['lag:3reads', { listLag: { reads: 3 } }],
    ['trigger:delayed-7s', { trigger: 'delayed', triggerDelaySeconds: 7 }],
    ['latency:50ms', { latencyMs: 50 }],
    ['database:60s', { databaseSeconds: 60 }],
    ['deletion:20s', { deletionSeconds: 20 }],
    ['stale:60s-every-3', { stale: { every: 3, seconds: 60 } }],
    ['appears:40s', { appearsSeconds: 40 }],
    ['rate:5/s', { rateLimit: { requests: 5, seconds: 1 } }],
    ['rate:1/10s', { rateLimit: { requests: 1, seconds: 10 } }],
    ['retry-after:120s', { retryAfterSeconds: 120 }],
    ['merge', { nested: { sourceConfig: 'merge-null-clears', resourceSpec: 'merge-null-clears' } }],
  ])('carry numbers and short forms: %s', (words, want) => {
    expect(wordsOf(words)).toMatchObject(want);
  });

  it.each([
    ['perhaps', 'perhaps: is not a switch word; expected group:value, groups are omit, nested'],
    ['colour:red', 'colour: is not a group of switches; expected omit'],
    ['lists:keep', 'lists:keep: is not known; expected replace, merge-by-name, append, empty-ignored'],
    ['rollout:soon', 'rollout:soon: is not known; expected instant, never-active, fails, a number as in 30s'],
    ['stale:60s', 'stale:60s: is not known; expected fresh, a number as in 60s-every-3'],
    ['rate:fast', 'rate:fast: is not known; expected unlimited, a number as in 5/s or 1/10s'],
    ['empty', 'empty: is in several groups; expected secrets:empty or errors:empty'],
    ['toString', 'toString: is not a switch word'],
  ])('say what is wrong with %s', (words, message) => {
    const result = parseSemantics(words);
    expect(result.ok ? '' : result.problems.join()).toContain(message);
  });

  it('are all reported at once if several are wrong', () => {
    const result = parseSemantics('perhaps,masked,colour:red');
    expect(result.ok ? [] : result.problems).toHaveLength(2);
  });

  it('turn switches that can be written as JSON and read back', () => {
    for (const { name, values } of WORD_GROUPS) {
      for (const [value, patch] of Object.entries(values)) {
        expect(wordsOf(`${name}:${value}`)).toMatchObject(patch);
        const written: unknown = JSON.parse(JSON.stringify(patch));
        expect(readDocument(semanticsPatch, written)).toMatchObject(patch);
      }
    }
  });

  it('cover every switch but those for numbers, single fields and admission', () => {
    const reached = new Set(
      WORD_GROUPS.flatMap(({ values, pattern }) => [
        ...Object.values(values).flatMap((patch) => Object.keys(patch)),
        ...['20s', '50ms', 'delayed-1s', '60s-every-3', '5/s'].flatMap((text) =>
          Object.keys(pattern?.read(text) ?? {}),
        ),
      ]),
    );
    const rest = Object.keys(PLEASANT).filter((key) => !reached.has(key));
    expect(rest.toSorted()).toEqual(['auth', 'defaultLimit', 'fieldRules', 'maxIDs', 'pageCap']);
  });

  it('are all explained in the documentation, with every value', () => {
    const rows = readFileSync('docs/simulator.md', 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    for (const { name, values } of WORD_GROUPS) {
      const row = rows.find(([, first]) => first === `\`${name}\``);
      expect(row, `docs/simulator.md has no row for ${name}`).toBeDefined();
      for (const value of Object.keys(values)) expect(row?.[3], `${name}:${value}`).toContain(`\`${value}\``);
    }
  });
});

describe('switches as an object', () => {
  it('accept every existing switch', () => {
    expect(withSemantics(PLEASANT, readDocument(semanticsPatch, PLEASANT))).toEqual(PLEASANT);
  });

  it('accept words and lists of words in place of the object', () => {
    expect(readDocument(semanticsPatch, 'masked')).toEqual(readDocument(semanticsPatch, ['masked']));
  });

  it.each([
    [
      { trigger: 'perhaps' },
      'trigger: is wrong; expected one of on-change, on-presence, always, never, delayed',
    ],
    [{ colour: 'red' }, 'colour: is not known; expected topLevelOmit'],
    [{ nested: { secrets: 'replace' } }, 'nested.secrets: is not known; expected sourceConfig'],
    [{ auth: { kind: 'magic' } }, 'auth.kind: is wrong; expected one of none, header, bearer'],
    [{ auth: { kind: 'header', name: 'X' } }, 'auth.value: is missing; expected a text'],
    [{ rollout: { kind: 'after' } }, 'rollout.seconds: is missing; expected a number'],
    [{ normalise: ['round1', 'x'] }, 'normalise[1]: is wrong; expected one of round1'],
    [{ fieldRules: { name: 'x' } }, 'fieldRules.name: is wrong; expected one of rejected'],
    [7, 'the document: is wrong; expected an object'],
    ['perhaps', 'perhaps: is not a switch word'],
  ])('say what is wrong with %j', (document, message) => {
    expect(() => readDocument(semanticsPatch, document)).toThrow(message);
  });
});
