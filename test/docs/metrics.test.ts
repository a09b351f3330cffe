import { describe, expect, test } from 'vitest';
import { MetricsRegistry } from '../../src/telemetry/metrics-registry.ts';
import { textOf } from './support.ts';

/** What is known of a metric from its page, or from what is exposed. */
interface Metric {
  readonly type: string;
  readonly labels: readonly string[];
}

/** The rows of docs/metrics.md that describe a metric. */
function documented(): ReadonlyMap<string, Metric> {
  const rows = textOf('docs/metrics.md').matchAll(
    /^\| `(\w+)`\s*\| (counter|gauge|histogram)\s*\|([^|]*)\|/gm,
  );
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? '').toSorted() },
    ]),
  );
}

/** A registry that was told something of everything. */
async function exposed(): Promise<string> {
  const registry = new MetricsRegistry({ now: () => 0 });
  registry.connectionSeen('c', () => ({ waiting: 0, gateClosed: false, snapshotAgeSeconds: 1 }));
  registry.resourceShown({ kind: 'Deployment', namespace: 'n', name: 'a' }, 'True', 'Active');
  registry.queue('deployments', () => ({
    ...{ waiting: 0, delayed: 0, running: 0 },
    ...{ unfinishedSeconds: 0, longestRunningSeconds: 0 },
  }));
  registry.cluster.requested('GET', '200', 1, 'host');
  registry.cluster.heard('Deployment', '', 0);
  registry.election.standsFor('dms-operator');
  return registry.expose();
}

/** The metrics of ours that are exposed; those of the process come from prom-client. */
function metricsIn(text: string): ReadonlyMap<string, Metric> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const ours = types.filter(([, name = '']) => !/^(?:process|nodejs)_/.test(name));
  return new Map(
    ours.map(([, name = '', type = '']) => {
      const sample = new RegExp(`^${name}(?:_count)?\\{(.*)\\} `, 'm').exec(text)?.[1] ?? '';
      return [
        name,
        { type, labels: [...sample.matchAll(/(\w+)="/g)].map((match) => match[1] ?? '').toSorted() },
      ];
    }),
  );
}

describe('docs/metrics.md', () => {
  test('lists every metric with its type and labels, and no other', async () => {
    const real = metricsIn(await exposed());
    expect(Object.fromEntries(documented())).toEqual(Object.fromEntries(real));
  });

  test('alerts on metrics and labels that exist', () => {
    const known = documented();
    const rows =
      textOf('docs/metrics.md')
        .split('## What to alert on')[1]
        ?.matchAll(/^\| `([^`]+)`/gm) ?? [];
    const unknown = [...rows].flatMap(([, rule = '']) => {
      const [, name = '', labels = ''] =
        /((?:dms|workqueue|leader)_\w+?)(?:_bucket)?(?:\{(.*?)\})?[\s[)]/.exec(rule) ?? [];
      const used = [...labels.matchAll(/(\w+)!?=/g)].map((match) => match[1] ?? '');
      return used.every((label) => known.get(name)?.labels.includes(label)) && known.has(name) ? [] : [rule];
    });
    expect(unknown).toEqual([]);
  });

  test('no label can hold the name of a deployment', () => {
    const labels = new Set([...documented().values()].flatMap((metric) => metric.labels));
    const bounded = ['kind', 'ready', 'reason', 'outcome', 'connection', 'cause', 'action', 'operation'];
    expect([...labels].toSorted()).toEqual(
      [...bounded, 'code', 'result', 'method', 'verb', 'host', 'name'].toSorted(),
    );
  });
});
