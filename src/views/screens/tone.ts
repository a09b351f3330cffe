import type { ConnectionResource } from '../../api/connection.ts';
import { ANNOTATIONS, type DeploymentResource } from '../../api/deployment.ts';
import { standingOf } from '../resources/standing.ts';

/**
 * The urgency of a resource's state: `good` is as it should be; `busy` continues by itself; `waits` needs a person's
 * consent; `bad` is stalled or failed; `quiet` is paused, or was never looked at.
 */
export type Tone = 'good' | 'busy' | 'waits' | 'bad' | 'quiet';

/** All tones, from the worst to the best. */
export const TONES: readonly Tone[] = ['bad', 'waits', 'busy', 'quiet', 'good'];

/** The tone of a resource, and the reason for it. */
export interface Headline {
  readonly tone: Tone;
  /** The reason, from docs/conditions.md, of the condition that explains the tone. */
  readonly headline: string;
}

/** Returns the state of a resource in one word and one reason; `connection` is the one that it uses. */
export function headlineOf(
  resource: DeploymentResource,
  connection: ConnectionResource | undefined,
): Headline {
  const { status, metadata } = resource;
  const find = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const [synced, ready] = [find('Synced'), find('Ready')];
  const isPaused = metadata.annotations?.[ANNOTATIONS.paused] === 'true' || synced?.reason === 'Paused';
  if (isPaused) return { tone: 'quiet', headline: 'Paused' };
  if (synced === undefined) return { tone: 'quiet', headline: 'Pending' };
  const headline = synced.status === 'True' ? (ready?.reason ?? synced.reason) : synced.reason;
  switch (standingOf(resource, connection, 'active').kind) {
    case 'failed':
      return { tone: 'bad', headline };
    case 'held':
      return { tone: 'waits', headline };
    case 'waiting':
      return { tone: 'busy', headline };
    case 'settled':
      // The service may show an active newest revision and still report the deployment as unused.
      return { tone: ready?.status === 'True' ? 'good' : 'busy', headline };
  }
}
