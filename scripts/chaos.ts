/**
 * `npm run chaos -- --kills 200`: a real API server, a simulated service and the controller as a process that is killed
 * with kill -9, so many times, at moments chosen by `--seed S`, while resources are created, edited, rotated and
 * deleted. Then everything comes to rest and is judged; the exit code is 1 when anything went wrong.
 */
import { parseArgs } from 'node:util';
import { temporaryBundle } from '../test/support/bundle/bundle.ts';
import { chaos } from '../test/support/chaos/chaos.ts';
import { plainControllers } from '../test/support/chaos/controllers.ts';
import { excuses } from '../test/support/chaos/judging/excuses.ts';
import { progressLine, resultText } from '../test/support/chaos/report.ts';
import { startControlPlane } from '../test/support/control-plane/control-plane.ts';

const HELP = `npm run chaos -- [--kills N] [--seed S] [--resources N] [--replicas N]

Kills a controller with kill -9 while resources are created, edited, rotated and deleted, lets everything come to
rest, and judges. The exit code is 1 when anything went wrong.

  --kills N       how often; 200 by default
  --seed S        chooses the moments and the edits; a new one in each run by default
  --resources N   deployments at the start; 30 by default
  --replicas N    controllers, of which one has the Lease; 1 by default
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    resources: { type: 'string', default: '30' },
    replicas: { type: 'string', default: '1' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const { kills, replicas, resources, seed } = values;
const numbers = {
  kills: Number(kills),
  seed: Number(seed),
  resources: Number(resources),
  patient: true,
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const progress = progressLine();
progress.tell(`seed ${seed}: starting kube-apiserver and etcd (built once per machine, which takes minutes)`);
const [plane, bundle] = await Promise.all([startControlPlane(), temporaryBundle()]);
try {
  const { program } = bundle;
  const controllers = plainControllers(program, Number(replicas));
  const result = await chaos({ plane, program, controllers, ...numbers }, progress.tell);
  progress.done();
  const again = `npm run chaos -- --kills ${kills} --resources ${resources} --replicas ${replicas} --seed ${seed}`;
  process.stdout.write(resultText(result, again));
  process.stdout.write(`let pass:\n${excuses().join('\n')}\n`);
  process.exitCode = result.wrongs.length === 0 ? 0 : 1;
} finally {
  await Promise.all([plane.stop(), bundle.remove()]);
}
