import type { DesiredDeployment } from '../desired/desired-deployment.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { isShown } from '../effects/effect-of.ts';
import { leftOpenBy } from '../effects/untouched.ts';
import { type Plan, waiting } from '../plan/plan.ts';
import type { Present } from '../plan/situation.ts';
import { inARow } from '../../base/text-for-people.ts';

/**
 * Waits while neither the answer nor the newest list shows a declared value that our newest write left out, although
 * lists show the field. There are three possible reasons: the answer repeats only the requested values (N14), the list
 * lags (N30), or the service emptied the value (N1). Nothing distinguishes them until the window of the write ends.
 */
export function unseenOmissions(present: Present): Plan | undefined {
  const { written, listed, desired, settings, nowMs } = present;
  if (written === undefined || listed === undefined || written.effect !== undefined) return undefined;
  if (nowMs >= written.dueMs) return undefined;
  const open = new Set(leftOpenBy(written, written.answer));
  const paths = declaredPaths(desired).filter(
    (path) => open.has(path) && present.listedPaths.has(path) && isShown(listed, path) === false,
  );
  if (paths.length === 0) return undefined;
  const message = `sent; neither the answer nor the list shows ${inARow(paths)}, which the write left out; looking again`;
  return waiting('Sent', message, Math.min(settings.poll.rolloutMs, written.dueMs - nowMs));
}

function declaredPaths({ fields, secrets }: DesiredDeployment): readonly string[] {
  const paths = fields.filter(({ cleared }) => !cleared).map(({ field }) => field.path);
  return secrets.kind === 'resolved' && secrets.values.size > 0 ? [...paths, SECRETS_PATH] : paths;
}
