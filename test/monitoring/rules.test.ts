import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Alert } from '../../scripts/monitoring/rules.ts';
import { CONNECTION_REASONS, ROLLOUT_REASONS, SYNCED_REASONS } from '../../src/api/condition.ts';
import { ROOT } from '../docs/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { AlertCase, Firing, Series } from './support/alert-case.ts';
import { ALL_IS_WELL, OTHERS_ARE_WELL } from './support/all-is-well.ts';
import { CONNECTION_CASES } from './support/connection-alerts.ts';
import { CONTROLLER_CASES } from './support/controller-alerts.ts';
import { DEPLOYMENT_CASES } from './support/deployment-alerts.ts';
import { OBJECT_CASES } from './support/object-alerts.ts';
import { POD_CASES } from './support/pod-alerts.ts';
import { usePromtool } from './support/promtool.ts';
import { ALERTS, RULES } from './support/shipped.ts';

const promtool = usePromtool();
const FILE = join(ROOT, RULES);
const CASES = [
  ...[...CONTROLLER_CASES, ...POD_CASES, ...CONNECTION_CASES],
  ...[...DEPLOYMENT_CASES, ...OBJECT_CASES],
];
const RULES_LIMIT_MS = 60_000;

/** The expected state of an alert at a moment of a history. */
interface Expected {
  readonly eval_time: string;
  readonly alertname: string;
  readonly exp_alerts: readonly object[];
}

/** Returns a history for promtool, and the expected alerts in it. */
function history(name: string, series: Series, expected: readonly Expected[]): object {
  const written = Object.entries(series).map(([each, values]) => ({ series: each, values }));
  return { name, interval: '1m', input_series: written, alert_rule_test: expected };
}

/** Returns a history in which an alert fires, with more series beside its own. */
function fires(alert: string, { labels, summary, series, atMinute }: Firing, beside: Series = {}): object {
  const rule = ALERTS.find((each) => each.alert === alert);
  const fired = {
    exp_labels: { ...rule?.labels, ...labels },
    exp_annotations: { ...rule?.annotations, summary },
  };
  const expected = { eval_time: `${atMinute}m`, alertname: alert, exp_alerts: [fired] };
  return history(`${alert} fires`, { ...beside, ...series }, [expected]);
}

function quiet(alert: string, atMinute: number): Expected {
  return { eval_time: `${atMinute}m`, alertname: alert, exp_alerts: [] };
}

/** Histories, and the rules that judge them. */
interface Tried {
  readonly rules: readonly Alert[];
  readonly histories: readonly object[];
}

/** Returns the verdict of promtool on all cases, each under its own rules. */
async function judged(tries: readonly Tried[]): Promise<string> {
  const folder = temporaryFolder();
  const files = tries.map(({ rules, histories }, index) => {
    folder.write(`rules-${index}.yaml`, stringify({ groups: [{ name: 'tried', rules }] }));
    const test = { rule_files: [`rules-${index}.yaml`], evaluation_interval: '1m', tests: histories };
    return folder.write(`test-${index}.yaml`, stringify(test));
  });
  const { code, out } = await promtool(['test', 'rules', ...files]);
  return code === 0 ? 'SUCCESS' : out;
}

/** Tests each alert alone: a history for all rules would take thirty times longer. */
function judgedAlone(histories: (each: AlertCase) => readonly object[]): Promise<string> {
  return judged(
    CASES.map((each) => ({
      rules: ALERTS.filter(({ alert }) => alert === each.alert),
      histories: histories(each),
    })),
  );
}

describe('the alerts', () => {
  test('are rules that Prometheus accepts, without duplicates', async () => {
    const { code, out } = await promtool(['check', 'rules', '--lint=all', '--lint-fatal', FILE]);
    expect(code, out).toBe(0);
    expect(out).toContain(`${ALERTS.length} rules found`);
  });

  test('have a case each', () => {
    expect(CASES.map(({ alert }) => alert)).toEqual(ALERTS.map(({ alert }) => alert));
  });

  test('fire, each in its case, with their subject', { timeout: RULES_LIMIT_MS }, async () => {
    const firing = ({ alert, alsoFires = [], ...each }: AlertCase): readonly object[] =>
      [each.fires, ...alsoFires].map((moment) => fires(alert, moment));
    expect(await judgedAlone(firing)).toBe('SUCCESS');
  });

  test(
    'fire alone even if other installations under the same Prometheus are healthy',
    { timeout: RULES_LIMIT_MS },
    async () => {
      expect(await judgedAlone((each) => [fires(each.alert, each.fires, OTHERS_ARE_WELL)])).toBe('SUCCESS');
    },
  );

  test('are quiet in near cases', { timeout: RULES_LIMIT_MS }, async () => {
    const near = ({ alert, quiet: moments }: AlertCase): readonly object[] =>
      moments.map(({ series, atMinute }) => history(`${alert} is quiet`, series, [quiet(alert, atMinute)]));
    expect(await judgedAlone(near)).toBe('SUCCESS');
  });

  test('are all quiet in a healthy state', { timeout: RULES_LIMIT_MS }, async () => {
    const expected = [5, 30, 90, 300].flatMap((atMinute) =>
      ALERTS.map(({ alert }) => quiet(alert, atMinute)),
    );
    expect(
      await judged([{ rules: ALERTS, histories: [history('all is well', ALL_IS_WELL, expected)] }]),
    ).toBe('SUCCESS');
  });
});

describe('the reasons of resources', () => {
  /** The reasons without an alert, each with its explanation. */
  const NO_ALERT: Readonly<Record<string, string>> = {
    Active: 'all is well',
    ActiveStatusNotShown: 'all is well',
    InSync: 'all is well; Ready goes by rollout then',
    Ok: 'all is well',
    Paused: 'somebody wants it so',
    Suspended: 'somebody wants it so',
    DriftReported: 'somebody wants it so; the dashboard shows drift',
    Differs: 'somebody wants it so',
    ConnectionNotReady: 'the connection has an alert of its own',
    RateLimited: 'DmsServiceAsksForPauses looks at the pauses themselves',
    Deleting: 'DmsFinalizerStuck looks at the deletion itself',
  };

  /** Returns the reasons that alerts select among resources of one sort. Exclusions after `unless` do not count. */
  function lookedFor(connections: boolean): readonly string[] {
    const selectors = ALERTS.flatMap(({ expr }) => [
      ...expr.replace(/unless[^]*$/, '').matchAll(/(?<metric>\w+)\{(?<matchers>[^}]*)\}/g),
    ]);
    return selectors.flatMap(({ groups: { metric = '', matchers = '' } = {} }) => {
      const other = connections
        ? metric.startsWith('kube_dms_deployment_') || matchers.includes('kind="Deployment"')
        : matchers.includes('kind!="Deployment"');
      return other ? [] : (/reason=~?"([^"]*)"/.exec(matchers)?.[1]?.split('|') ?? []);
    });
  }

  test.each([
    { of: 'deployments', reasons: [...SYNCED_REASONS, ...ROLLOUT_REASONS], connections: false },
    // Pending is reserved.
    {
      of: 'connections',
      reasons: CONNECTION_REASONS.filter((reason) => reason !== 'Pending'),
      connections: true,
    },
  ])('of $of have exactly one alert each, or a reason to have none', ({ reasons, connections }) => {
    const found = lookedFor(connections);
    const counts = reasons.map((reason) => [reason, found.filter((each) => each === reason).length]);
    const what = 'name each reason in one alert of manifests/monitoring/rules.yaml, or in NO_ALERT';
    expect(counts, what).toEqual(reasons.map((reason) => [reason, reason in NO_ALERT ? 0 : 1]));
  });
});
