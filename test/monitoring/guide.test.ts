import { expect, test } from 'vitest';
import { textOf } from '../docs/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { usePromtool } from './support/promtool.ts';
import { RULES, stateMetrics } from './support/shipped.ts';

const promtool = usePromtool();
const GUIDE = textOf('docs/guides/monitoring.md');

test('Prometheus accepts the settings in the guide', async () => {
  const settings = /^```yaml\n(?<yaml>rule_files:[^]*?)^```$/m.exec(GUIDE)?.groups?.['yaml'] ?? '';
  const folder = temporaryFolder({ 'rules.yaml': textOf(RULES), 'prometheus.yaml': settings });
  const { code, out } = await promtool(['check', 'config', folder.at('prometheus.yaml')]);
  expect(code, out).toBe(0);
  expect(out).toContain('rule files found');
});

test('the guide explains every fact about deployments, and only existing ones', () => {
  const told = [...GUIDE.matchAll(/`(kube_dms_\w+)`/g)].map(([, name = '']) => name);
  const known = [...stateMetrics().keys()];
  expect(told.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => name.startsWith('kube_dms_deployment_') && !told.includes(name))).toEqual([]);
});
