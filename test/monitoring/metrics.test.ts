import { describe, expect, test } from 'vitest';
import { fullExposition } from '../../scripts/reference/metrics-page.ts';
import { textOf } from '../docs/support.ts';
import { ofOurs } from './support/exposition.ts';
import { usePromtool } from './support/promtool.ts';
import { groupedBy, replacedIn, selectorsIn } from './support/promql.ts';
import { ALERTS, QUERIES, stateMetrics } from './support/shipped.ts';

const promtool = usePromtool();

/** Returns the labels of each metric that the program exposes. */
async function exposed(): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await fullExposition();
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  return new Map(names.map((name) => [name, labelsOf(name, text)]));
}

function labelsOf(name: string, text: string): readonly string[] {
  const samples = text.matchAll(new RegExp(`^${name}(?:_(?:bucket|count))?(?:\\{(.*)\\})? `, 'gm'));
  return [...samples].flatMap(([, labels = '']) =>
    [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
  );
}

/** The metrics of Prometheus itself. */
const OF_PROMETHEUS = ['cluster', 'job', 'instance', 'namespace'];

/** The default metrics of kube-state-metrics for workloads, with their labels. */
const OF_KUBE_STATE_METRICS: ReadonlyMap<string, readonly string[]> = new Map([
  ['kube_deployment_spec_replicas', ['deployment']],
  ['kube_deployment_status_replicas_available', ['deployment']],
  ['kube_pod_container_status_restarts_total', ['pod', 'container']],
]);

const EXPRESSIONS = [...ALERTS.map(({ expr }) => expr), ...QUERIES];

/** Our metrics that neither the dashboard nor an alert uses, with the reason. */
const UNUSED: Readonly<Record<string, string>> = {
  workqueue_work_duration_seconds: 'dms_reconcile_duration_seconds is the same by kind',
  workqueue_unfinished_work_seconds: 'the longest one is what tells; this is for dashboards of controllers',
};

describe('the dashboard and the alerts', () => {
  test('use existing metrics and labels', async () => {
    const known = new Map([...(await exposed()), ...stateMetrics(), ...OF_KUBE_STATE_METRICS, ['up', []]]);
    for (const expr of EXPRESSIONS) {
      const selectors = selectorsIn(expr);
      expect(selectors, expr).not.toEqual([]);
      for (const { metric, labels } of selectors) {
        const possible = known.get(metric);
        expect(possible, `${metric} in ${expr}`).toBeDefined();
        expect([...(possible ?? []), ...OF_PROMETHEUS], expr).toEqual(expect.arrayContaining([...labels]));
      }
      const any = [...selectors.flatMap(({ metric }) => known.get(metric) ?? []), ...OF_PROMETHEUS];
      const replaced = replacedIn(expr);
      expect(any, expr).toEqual(expect.arrayContaining(replaced.map(({ of }) => of)));
      const made = replaced.map((label) => label.made);
      expect([...any, ...made], expr).toEqual(expect.arrayContaining([...groupedBy(expr)]));
    }
  });

  test('use every metric of ours, or there is a documented reason', async () => {
    const asked = new Set(EXPRESSIONS.flatMap(selectorsIn).map(({ metric }) => metric));
    const ours = [...(await exposed()).keys()].filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(ours.filter((name) => !asked.has(name))).toEqual(Object.keys(UNUSED));
  });

  test('use every fact about resources that kube-state-metrics exports', () => {
    const asked = new Set(EXPRESSIONS.flatMap(selectorsIn).map(({ metric }) => metric));
    const ofDeployments = [...stateMetrics().keys()].filter((name) =>
      name.startsWith('kube_dms_deployment_'),
    );
    expect(ofDeployments.filter((name) => !asked.has(name))).toEqual([]);
  });

  test('filter by job if other controllers have metrics of the same name', () => {
    const shared = EXPRESSIONS.filter((expr) =>
      selectorsIn(expr).some(
        ({ metric, labels }) => !/^(?:dms|kube)_/.test(metric) && !labels.includes('job'),
      ),
    );
    expect(shared).toEqual([]);
  });

  test('have queries that Prometheus can parse', async () => {
    const rules = QUERIES.map((expr, index) => ({ record: `panel:${index}`, expr }));
    const file = JSON.stringify({ groups: [{ name: 'dashboard', rules }] });
    const { code, out } = await promtool(['check', 'rules', '--lint=none'], file);
    expect(code, out).toBe(0);
    expect(out).toContain(`${QUERIES.length} rules found`);
  });
});

describe('the output of /metrics', () => {
  test('follows the rules of Prometheus for names, types and help', async () => {
    const { code, out } = await promtool(['check', 'metrics'], ofOurs(await fullExposition()));
    expect({ code, out }).toEqual({ code: 0, out: '' });
  });

  test('contains only metrics that the reference explains', async () => {
    const reference = textOf('docs/reference/metrics.md');
    const ours = [...(await exposed()).keys()].filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(ours.filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
  });
});
