import { describe, expect, test } from 'vitest';
import { isAsShown } from './output.ts';
import { ALONE, CONSOLE, FIRST, IN_TROUBLE, INSTALLING, MONITORING, THEN } from './pages.ts';
import { stepsOn } from './steps.ts';
import { tellStory } from './teller.ts';
import { deploymentYaml } from '../../directory/support/manifests.ts';
import { pages } from '../support.ts';

test.each(ALONE)('the commands of %s print the output on the page', (page) => tellStory(page), 120_000);

test('the console of a folder starts as its page describes', async () => {
  await tellStory(CONSOLE, {
    files: { 'deploy/agent.yaml': deploymentYaml('agent') },
    // Those on a cluster are in test/console/browser.
    leave: /^dms-operator console +(?:#|--allow-actions)/,
  });
}, 60_000);

test('the steps of every guide have a test', () => {
  const guides = pages().filter((page) => /^docs\/(?:getting-started|guides\/(?!gitops-).*)\.md$/.test(page));
  expect([CONSOLE, FIRST, IN_TROUBLE, INSTALLING, MONITORING, ...ALONE, ...THEN].toSorted()).toEqual(guides);
});

describe('the steps of a page', () => {
  test('are files that it names and commands with their output', () => {
    const page = [
      ...['Write this as', '`deploy/a.yaml`:', '', '```yaml', 'a: 1', '```', ''],
      ...['```console', '$ one \\', '    two', 'shown', '', '$ three    # exit code 2: because', '```'],
    ].join('\n');
    expect(stepsOn(page)).toEqual([
      { kind: 'file', name: 'deploy/a.yaml', text: 'a: 1\n' },
      { kind: 'command', line: 'one \\\n    two', code: 0, shown: ['shown'] },
      { kind: 'command', line: 'three    # exit code 2: because', code: 2, shown: [] },
    ]);
  });

  test('do not include a block that only shows something', () => {
    expect(stepsOn('Somebody may write:\n\n```yaml\na: 1\n```\n')).toEqual([]);
  });
});

describe('the output of a command', () => {
  const id = '9682a2ed-9e6a-4dd6-8549-8b7439f2d60e';

  test.each([
    ['the same', ['a', '  b  1'], 'a\n  b  1\n'],
    [
      'other ids, ages and widths',
      [`a  ${id}  5s`, 'b    3m2s'],
      `a    ${id.replace('9', '0')} 118s\nb 2d\n`,
    ],
    ['text that is left out', ['a … d'], 'a b c d\n'],
    ['lines that are left out', ['...', 'b', '...'], 'a\na\nb\nc\n'],
    ['no lines where some are left out', ['a', '...'], 'a\n'],
  ])('is as the page shows it: %s', (_, shown, printed) => {
    expect(isAsShown(shown, printed.replaceAll(/ (?=118s|2d)/g, '  '))).toBe(true);
  });

  test.each([
    ['another word', ['a b'], 'a c\n'],
    ['a line more', ['a'], 'a\nb\n'],
    ['a line less', ['a', 'b'], 'a\n'],
    ['more beside the lines that are left out', ['...', 'b'], 'a\nb\nc\n'],
  ])('is not: %s', (_, shown, printed) => {
    expect(isAsShown(shown, printed)).toBe(false);
  });
});
