import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SCHEMAS } from '../../src/api/generated/schemas.ts';
import { at } from '../../src/api/problem.ts';
import { CONNECTION_STATUS, DEPLOYMENT_STATUS } from '../api/full-status.ts';
import { textOf } from '../docs/support.ts';

type Path = readonly string[];

interface How {
  readonly path?: Path;
  readonly valueFrom?: Path;
  readonly labelsFromPath?: Readonly<Record<string, Path>>;
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly labelsFromPath?: Readonly<Record<string, Path>>;
  readonly each: { readonly type: 'Gauge' | 'Info'; readonly gauge?: How; readonly info?: How };
}

interface Resource {
  readonly groupVersionKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly labelsFromPath: Readonly<Record<string, Path>>;
  readonly metrics: readonly Metric[];
}

const CONFIGURATION = parse(textOf('manifests/monitoring/kube-state-metrics.yaml')) as {
  readonly kind: string;
  readonly spec: { readonly resources: readonly Resource[] };
};

const TIME = '2026-11-20T10:00:00Z';
const metadata = { namespace: 'team-a', name: 'agent', generation: 7, deletionTimestamp: TIME };

/** A resource of each kind with every field that may become a series. */
const FULL: Readonly<Record<string, object>> = {
  Deployment: { metadata, spec: { source: 'external_container' }, status: DEPLOYMENT_STATUS },
  Connection: { metadata, status: CONNECTION_STATUS },
  ClusterConnection: { metadata, status: CONNECTION_STATUS },
};

/** Returns the value at a path. A number in the path is an index in a list. */
function found(object: unknown, path: Path): unknown {
  return path.reduce(
    (so: unknown, step) => (Array.isArray(so) ? (so as unknown[])[Number(step)] : at(so, step)),
    object,
  );
}

/** True for a value of our resources that kube-state-metrics can convert into a number. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value));
}

/** Every metric with its resource. */
const METRICS = CONFIGURATION.spec.resources.flatMap(
  ({ groupVersionKind: { kind }, labelsFromPath, metrics }) =>
    metrics.map((metric) => ({ kind, common: labelsFromPath, metric, name: metric.name })),
);

test('the configuration covers all of our kinds, in their served versions', () => {
  const { kind, spec } = CONFIGURATION;
  expect(kind).toBe('CustomResourceStateMetrics');
  expect(spec.resources.map(({ groupVersionKind }) => groupVersionKind)).toEqual(
    ['Deployment', 'Connection', 'ClusterConnection'].map((each) => ({
      ...{ group: 'dms-operator.dev', version: 'v1alpha1' },
      kind: each,
    })),
  );
  expect(Object.keys(SCHEMAS).toSorted()).toEqual(
    spec.resources.map(({ groupVersionKind }) => groupVersionKind.kind).toSorted(),
  );
});

describe.each(METRICS)('$name', ({ kind, common, metric }) => {
  const object = FULL[kind];
  const how: How = metric.each.gauge ?? metric.each.info ?? {};

  test('has a type that kube-state-metrics supports', () => {
    expect(metric.name).toMatch(/^(?:deployment|connection|clusterconnection)_[a-z_]+$/);
    expect(metric.help).toMatch(/\.$/);
    expect(Object.keys(metric.each)).toEqual(['type', metric.each.type.toLowerCase()]);
    expect(['path', 'labelsFromPath', 'valueFrom']).toEqual(expect.arrayContaining(Object.keys(how)));
    expect(metric.name.endsWith('_info')).toBe(metric.each.type === 'Info');
  });

  test('reads existing values of a resource', () => {
    const entries = found(object, how.path ?? []);
    for (const entry of Array.isArray(entries) ? (entries as unknown[]) : [entries]) {
      if (metric.each.type === 'Gauge') expect(isNumber(found(entry, how.valueFrom ?? []))).toBe(true);
      for (const path of Object.values(how.labelsFromPath ?? {}))
        expect(found(entry, path), path.join('.')).toEqual(expect.any(String));
    }
    for (const path of Object.values({ ...common, ...metric.labelsFromPath }))
      expect(found(object, path), path.join('.')).toEqual(expect.any(String));
  });

  test('reads no field in which a person may have written a secret', () => {
    const paths = [
      how.path ?? [],
      ...Object.values({ ...common, ...metric.labelsFromPath, ...how.labelsFromPath }),
    ];
    expect(paths.filter(([first, second]) => first === 'spec' && second !== 'source')).toEqual([]);
  });
});
