import { describe, expect, test } from 'vitest';
import { isAllowedName } from '../../../src/model/decide/binding.ts';

describe('the names that a namespace may bind', () => {
  test.each<[string, readonly string[] | undefined, boolean]>([
    ['team-a-agent', undefined, true],
    ['team-a-agent', [], false],
    ['team-a-agent', ['team-a-agent'], true],
    ['team-a-agent', ['team-a'], false],
    ['team-a-agent', ['agent'], false],
    ['team-a-agent', ['*'], true],
    ['', ['*'], true],
    ['team-a-agent', ['{namespace}-*'], true],
    ['team-b-agent', ['{namespace}-*'], false],
    ['team-a-', ['{namespace}-*'], true],
    ['team-a', ['{namespace}-*'], false],
    ['team-a2-agent', ['{namespace}-*'], false],
    ['agent.team-a', ['*.{namespace}'], true],
    ['agent.team-a.evil', ['*.{namespace}'], false],
    ['x-team-a-y-team-a-z', ['*{namespace}*{namespace}*'], true],
    ['x-team-a-y', ['*{namespace}*{namespace}*'], false],
    ['team-a', ['{namespace}*{namespace}'], false],
    ['ab', ['a*ab'], false],
    ['aab', ['a*ab'], true],
    ['abc', ['a*b*b*c'], false],
    ['shared', ['{namespace}-*', 'shared'], true],
    ['Team-a-agent', ['{namespace}-*'], false],
    ['teamXa', ['team.a'], false],
    ['{namespace}', ['{namespace}'], false],
    ['{team}', ['{team}'], true],
  ])('%j under %j: %s', (name, patterns, allowed) => {
    expect(isAllowedName(name, patterns, 'team-a')).toBe(allowed);
  });

  test('are found in no time, however many stars a pattern has', () => {
    expect(isAllowedName('a'.repeat(5_000), [`${'a*'.repeat(120)}b`], 'team-a')).toBe(false);
  });
});
