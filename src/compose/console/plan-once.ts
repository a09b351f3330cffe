import type { PlanRequest } from '../../views/screens/console-messages.ts';
import { type PlanNow, planNowOf } from '../../views/screens/plan-now.ts';
import { commandEnvironment } from '../session/command-environment.ts';
import { planOne } from '../session/plan-all.ts';
import { openSession } from '../session/session.ts';
import type { ConsoleSource } from './console-source.ts';

/** Looks at one resource and its service, once, as `plan` does; undefined where there is no such resource. */
export async function planOnce(
  source: ConsoleSource,
  { namespace, name }: PlanRequest,
  signal: AbortSignal,
): Promise<PlanNow | undefined> {
  const nothing = async (): Promise<Uint8Array> => new Uint8Array();
  const environment = commandEnvironment({ readStdin: nothing, err: () => undefined });
  const session = await openSession(source.planOptions(namespace), environment, signal);
  try {
    const resource = session.deployments.find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
    );
    if (resource === undefined) return undefined;
    const planned = await planOne(session, resource, { requests: false }, signal);
    return planNowOf(planned, environment.clock.now());
  } finally {
    await session.close();
  }
}
