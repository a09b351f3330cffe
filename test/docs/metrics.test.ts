import { describe, expect, test } from 'vitest';
import { textOf } from './support.ts';

/** Returns the labels of each metric, according to the tables of docs/reference/metrics.md. */
function labels(): ReadonlyMap<string, readonly string[]> {
  const rows = textOf('docs/reference/metrics.md').matchAll(
    /^\| `(\w+)`\s*\| (?:counter|gauge|histogram)\s*\|([^|]*)\|/gm,
  );
  return new Map(
    [...rows].map(([, name = '', cell = '']) => [
      name,
      [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''),
    ]),
  );
}

describe('docs/metrics.md', () => {
  test('alerts on existing metrics and labels', () => {
    const known = labels();
    const rows =
      textOf('docs/metrics.md')
        .split('## What to alert on')[1]
        ?.matchAll(/^\| `([^`]+)`/gm) ?? [];
    const unknown = [...rows].flatMap(([, rule = '']) => {
      const [, name = '', labels = ''] =
        /((?:dms|workqueue|leader)_\w+?)(?:_bucket)?(?:\{(.*?)\})?[\s[)]/.exec(rule) ?? [];
      const used = [...labels.matchAll(/(\w+)!?=/g)].map((match) => match[1] ?? '');
      return used.every((label) => known.get(name)?.includes(label)) && known.has(name) ? [] : [rule];
    });
    expect(unknown).toEqual([]);
  });

  test('has no label that can hold the name of a deployment', () => {
    const used = new Set([...labels().values()].flat());
    const bounded = ['kind', 'ready', 'reason', 'outcome', 'connection', 'cause', 'action', 'operation'];
    expect([...used].toSorted()).toEqual(
      [...bounded, 'code', 'result', 'method', 'verb', 'host', 'name'].toSorted(),
    );
  });
});
