import { afterEach, expect, test } from 'vitest';
import { textOf } from '../docs/support.ts';
import { LIVE_AGENT, NEXT_AGENT } from '../support/resources/agent.ts';
import { aWorld, type World } from '../support/worlds/e2e-world.ts';
import { metricsOf } from '../support/worlds/operator-process.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { ofOurs } from './support/exposition.ts';
import { usePromtool } from './support/promtool.ts';
import { selectorsIn } from './support/promql.ts';
import { ALERTS, QUERIES } from './support/shipped.ts';

const plane = useControlPlane();
const promtool = usePromtool();

let world: World;
afterEach(() => world.end());

test('a running controller exposes valid metrics, including all that our queries use', async () => {
  world = await aWorld(plane(), {
    rolloutSeconds: 0,
    leaderElect: true,
    deployments: [LIVE_AGENT],
  });
  await world.apply(NEXT_AGENT);
  await world.kubectl('wait', '--for=condition=Ready', 'dmsd/agent', '--timeout=30s');
  const text = await metricsOf(world.operator);

  expect(await promtool(['check', 'metrics'], ofOurs(text))).toEqual({ code: 0, out: '' });

  const asked = [...ALERTS.map(({ expr }) => expr), ...QUERIES]
    .flatMap(selectorsIn)
    .map(({ metric }) => metric);
  const ofThis = [...new Set(asked)].filter((metric) => metric !== 'up' && !metric.startsWith('kube_'));
  expect(ofThis.filter((metric) => !new RegExp(`^${metric}(?:_bucket)?(?:\\{| )`, 'm').test(text))).toEqual(
    [],
  );

  const reference = textOf('docs/reference/metrics.md');
  const exposed = [...ofOurs(text).matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  expect(exposed.filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
});
