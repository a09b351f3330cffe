import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

/** What can go wrong between a declaration and a service of unknown behaviour; tests carry the number in their name. */
const HAZARDS: Readonly<Record<number, string>> = {
  1: 're-sending makes revisions',
  2: 'resource_spec is replaced whole',
  3: 'secrets are replaced whole',
  4: 'a push makes revisions behind our back',
  5: 'a branch is shown as a commit',
  6: 'a built image is shown for a repository source',
  7: 'repo_commit_sha is response only',
  8: 'revision_source is one-shot',
  9: 'a failed rollout looks in sync',
  10: 'a runaway loop',
  11: 'a manual rollback',
  12: 'rotations in a burst',
  13: 'masked secrets',
  14: 'the list of secrets is omitted',
  15: 'names of secrets are visible, values are not',
  16: 'secrets come back as they were sent',
  17: 'the last secret is removed',
  18: 'an error repeats the request',
  19: 'a reference to a Secret that is missing',
  20: 'a Secret that is deleted later',
  21: 'the reference to a deployment is immutable',
  22: 'the source is immutable',
  23: 'fields of source_config that may be immutable',
  24: 'binding by an ambiguous name',
  25: 'one deployment, two resources',
  26: 'the pinned id vanishes and a new one has the name',
  27: 'tenant, address or connection changes',
  28: 'sources that an edition does not have',
  29: 'secret references of another source',
  30: 'no retrieval by id',
  31: 'a stale list after a PATCH',
  32: 'a list that moves while it is paged',
  33: 'an offset that does not advance',
  34: 'list items without source and status',
  35: 'a field that is never shown',
  36: 'rounding',
  37: 'defaults appear',
  38: 'custom_url is set by the service',
  39: 'the outcome of a PATCH is unknown',
  40: 'the outcome of a creation is unknown',
  41: 'a deployment is deleted outside',
  42: 'a deployment is being deleted',
  43: 'a deployment is unused',
  44: 'a restart of many',
  45: 'a lost status',
  46: 'two writers',
  47: 'a resource is deleted',
  48: 'a login page with 200',
  49: 'the kind collides with apps/v1',
  50: 'sensitive text in the environment of a container',
  51: 'blocks that are validated together',
  52: 'mass absence',
  53: 'a hotfix during a broken rollout',
  54: 'a status write that is dropped',
  55: 'a push during a rotation of unknown outcome',
  56: 'a lost digest key',
  57: 'a redeploy that was handled already',
  58: 'an approval that was used already',
  59: 'a slow neighbour',
  60: 'a lost lease',
  61: 'a failed checkout',
  62: 'reads fail while writes work',
  63: 'throttling',
};

/** Hazards without a test, and why. */
const NOT_YET: Readonly<Record<number, string>> = {};

const ROOT = join(import.meta.dirname, '..');

/** Files of tests that name each hazard: one or several numbers, or a range, in brackets at the end of a name. */
function testsByHazard(): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  for (const file of files) {
    for (const hazard of hazardsIn(readFileSync(join(ROOT, file), 'utf8'))) {
      found.set(hazard, [...(found.get(hazard) ?? []), relative('.', file)]);
    }
  }
  return found;
}

/** Numbers in brackets at the end of quoted text, which is where names of tests carry them. */
function hazardsIn(source: string): ReadonlySet<number> {
  const brackets = [...source.matchAll(/\(([^()\n]*)\)['`]/g)].map(([, inside = '']) => inside);
  return new Set(
    brackets.flatMap((inside) =>
      [...inside.matchAll(/\bH(\d+)(?:-H(\d+))?/g)].flatMap(([, first, last]) => {
        const [from, to] = [Number(first), Number(last ?? first)];
        return Array.from({ length: to - from + 1 }, (_, at) => from + at);
      }),
    ),
  );
}

describe('a hazard', () => {
  const tests = testsByHazard();
  const all = Object.entries(HAZARDS);

  test.each(all.filter(([number]) => !Object.hasOwn(NOT_YET, number)))(
    'H%s, %s, has a test that names it',
    (number) => {
      const found = tests.get(Number(number));
      expect(found, 'name it in brackets at the end of a test name, or say in NOT_YET why not').toBeDefined();
    },
  );

  test.each(all.filter(([number]) => Object.hasOwn(NOT_YET, number)))(
    'H%s, %s, has no test yet',
    (number) => {
      expect(tests.get(Number(number)), 'take it out of NOT_YET').toBeUndefined();
    },
  );

  test('that a test names is one of the table', () => {
    const unknown = [...tests.keys()].filter((number) => !Object.hasOwn(HAZARDS, number));
    expect(unknown).toEqual([]);
  });
});
