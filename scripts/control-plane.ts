/**
 * Makes sure that etcd, kube-apiserver and kubectl are on this machine, and prints where. The tests find
 * them by themselves; running this first keeps a build of several minutes out of their time limits.
 */
import { ensureControlPlaneBinaries } from '../test/support/control-plane/control-plane-binaries.ts';

try {
  const binaries = await ensureControlPlaneBinaries();
  for (const file of Object.values(binaries)) process.stdout.write(`${file}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
