/**
 * `npm run soak -- --minutes 10`: a real API server behind a proxy that breaks requests, watches and connections by
 * chance (`--seed S`), a simulated service, people who edit without end, and the controller as a process that is killed
 * now and then. Then everything comes to rest and is judged; the exit code is 1 when anything went wrong. With
 * `--installed` the controllers are those of the Helm chart with its own values, each a process that has the token of the
 * chart's service account and no other right.
 */
import { parseArgs } from 'node:util';
import { temporaryBundle } from '../test/support/bundle/bundle.ts';
import { installedControllers, plainControllers } from '../test/support/chaos/controllers.ts';
import { progressLine, resultText } from '../test/support/chaos/report.ts';
import { soak } from '../test/support/chaos/soak.ts';
import { startControlPlane } from '../test/support/control-plane/control-plane.ts';
import { helmFor } from '../test/support/programs/helm.ts';

const HELP = `npm run soak -- [--minutes N] [--kills-for N] [--seed S] [--resources N]
                [--replicas N | --installed]

Disturbs a controller between a real API server and a simulated service, kills it now and then, lets everything
come to rest, and judges. The exit code is 1 when anything went wrong.

  --minutes N     how long the disturbance lasts; 10 by default
  --kills-for N   kill processes and disturb Leases in the first N minutes only, so that growing memory shows in the
                  rest; by default in the first half
  --seed S        chooses the faults and the edits; a new one in each run by default
  --resources N   deployments at the start; 40 by default
  --replicas N    controllers, of which one has the Lease; 1 by default
  --installed     runs the controllers of the Helm chart, each with the token of its service account
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    minutes: { type: 'string', default: '10' },
    'kills-for': { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    resources: { type: 'string', default: '40' },
    replicas: { type: 'string', default: '1' },
    installed: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const { installed, minutes, replicas, resources, seed, 'kills-for': killsFor } = values;
const numbers = {
  seconds: Number(minutes) * 60,
  seed: Number(seed),
  resources: Number(resources),
  patient: true,
  ...(killsFor !== undefined && { killingPart: Number(killsFor) / Number(minutes) }),
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const progress = progressLine();
progress.tell(`seed ${seed}: starting kube-apiserver and etcd (built once per machine, which takes minutes)`);
const [plane, bundle] = await Promise.all([startControlPlane(), temporaryBundle()]);
const { program } = bundle;
try {
  const controllers = installed
    ? installedControllers(program, await helmFor(plane.directory))
    : plainControllers(program, Number(replicas));
  const result = await soak({ plane, program, controllers, ...numbers }, progress.tell);
  progress.done();
  const how = installed ? '--installed' : `--replicas ${replicas}`;
  const killing = killsFor === undefined ? '' : ` --kills-for ${killsFor}`;
  const again = `npm run soak -- --minutes ${minutes}${killing} --resources ${resources} ${how} --seed ${seed}`;
  process.stdout.write(resultText(result, again));
  process.exitCode = result.wrongs.length === 0 ? 0 : 1;
} finally {
  await Promise.all([plane.stop(), bundle.remove()]);
}
