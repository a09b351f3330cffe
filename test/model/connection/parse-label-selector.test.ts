import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../../../src/model/connection/parse-label-selector.ts';
import { selects } from '../../../src/model/connection/namespace-selector.ts';

const gold = { labels: { tier: 'gold', 'example.com/shard': 'a', empty: '' }, complete: true };

describe('a label selector as text', () => {
  it.each([
    ['tier=gold', true],
    ['tier==gold', true],
    ['tier = blue', false],
    ['tier!=blue', true],
    ['other!=blue', true],
    ['tier in (blue, gold)', true],
    ['tier notin (blue,gold)', false],
    ['other notin (blue)', true],
    ['tier', true],
    ['!tier', false],
    ['! other', true],
    ['empty=', true],
    ['example.com/shard=a,tier in (gold,blue),!other', true],
    ['example.com/shard=b,tier in (gold,blue)', false],
  ])('%s', (text, selected) => {
    const selector = parseLabelSelector(text);
    expect(selector).toBeDefined();
    expect(selects(selector, gold)).toBe(selected);
  });

  it.each([
    ...['tier in gold', 'tier in (gold', 'tier=gold,', ',', '', 'a=b=c', 'tier>3', '-tier', 'tier=go ld'],
    ...['tier in (go/ld)', '!tier=gold', 'Example.com/a', 'tier notin', `${'a'.repeat(64)}=b`],
  ])('%j is none', (text) => {
    expect(parseLabelSelector(text)).toBeUndefined();
  });
});
