/**
 * Writes the generated files of manifests/monitoring and docs/runbooks: the dashboard from its description in
 * scripts/monitoring, the rules in the form of the Prometheus operator, and the index of the runbooks. With --check
 * it writes nothing, and the exit code is 1 if a file is not current.
 */
import { stringify } from 'yaml';
import { settleFiles, textOf } from './generated-files.ts';
import { dashboard } from './monitoring/dashboard.ts';
import { type AlertGroup, alertGroups, runbookFile } from './monitoring/rules.ts';
import { blocks, code, table } from './reference/markdown.ts';

const FOLDER = 'manifests/monitoring';
const HEAD = '# Generated from rules.yaml by `npm run generate`, for the Prometheus operator.\n';

function prometheusRule(groups: readonly AlertGroup[]): string {
  const document = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: {
      name: 'dms-operator',
      namespace: 'dms-operator',
      labels: { 'app.kubernetes.io/name': 'dms-operator' },
    },
    spec: { groups },
  };
  return HEAD + stringify(document, { lineWidth: 0 });
}

function runbookIndex(groups: readonly AlertGroup[]): string {
  const alerts = groups.flatMap(({ rules }) => rules);
  return blocks(
    '<!-- Generated from manifests/monitoring/rules.yaml. Change that and run `npm run generate`. -->',
    '# Runbooks',
    'One page for each alert of [manifests/monitoring](../../manifests/monitoring/rules.yaml): what it means, whom it hurts, how to look, what to do, and when it ends. How the alerts get into Prometheus: [monitoring](../guides/monitoring.md).',
    table(
      ['Alert', 'Severity', 'What it means'],
      alerts.map((alert) => [
        `[${code(alert.alert)}](${runbookFile(alert)})`,
        alert.labels.severity,
        alert.annotations.description,
      ]),
    ),
  );
}

const groups = alertGroups(await textOf(`${FOLDER}/rules.yaml`));
await settleFiles([
  [`${FOLDER}/prometheus-rule.yaml`, prometheusRule(groups)],
  [`${FOLDER}/dashboard.json`, JSON.stringify(dashboard())],
  ['docs/runbooks/README.md', runbookIndex(groups)],
]);
