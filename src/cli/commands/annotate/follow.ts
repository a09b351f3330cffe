import type { DeploymentResource } from '../../../api/deployment.ts';
import type { Deployments } from '../../../compose/session/deployments.ts';

/** A resource about which something was said, in these words. */
export interface Followed {
  readonly resource: DeploymentResource;
  readonly text: string;
}

/** One that was not acted on, and why that was not waited for any longer. */
export interface Unhandled {
  readonly resource: DeploymentResource;
  readonly end: 'gone' | 'time';
}

/** The pace of looking: a command of seconds keeps no watch open. */
const PACE_MS = 500;

/** Looks until each text was acted on, and tells for which resources it was not. Rejects when `signal` aborts. */
export async function follow(
  followed: readonly Followed[],
  about: {
    readonly deployments: Pick<Deployments, 'again' | 'clock'>;
    readonly handled: (resource: DeploymentResource) => string | undefined;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<readonly Unhandled[]> {
  const { deployments, handled, timeoutMs, signal } = about;
  const { clock } = deployments;
  const endsMs = clock.now() + timeoutMs;
  const gone: Unhandled[] = [];
  let open = followed;
  for (;;) {
    const still: Followed[] = [];
    for (const one of open) {
      const resource = await deployments.again(one.resource, signal);
      if (resource === undefined) gone.push({ resource: one.resource, end: 'gone' });
      else if (handled(resource) !== one.text) still.push({ resource, text: one.text });
    }
    open = still;
    const leftMs = endsMs - clock.now();
    if (open.length === 0 || leftMs <= 0) break;
    await clock.sleep(Math.min(PACE_MS, leftMs), signal);
  }
  return [...gone, ...open.map(({ resource }): Unhandled => ({ resource, end: 'time' }))];
}
