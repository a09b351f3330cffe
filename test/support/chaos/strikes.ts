import { oneOf, type Random, seededRandom } from '../chance.ts';
import { faultsByChance, watchFaults } from '../fault-proxy/by-chance.ts';
import type { FaultProxy } from '../fault-proxy/fault-proxy.ts';
import type { AnswerFault } from '../fault-proxy/fault.ts';

/** The kinds that every controller watches. */
const WATCHED = ['deployments', 'connections', 'secrets', 'configmaps'] as const;
const STRIKE_EVERY_MS = 1_500;
/** One strike of this many breaks a connection and not its contents. */
const CONNECTIONS_OF = 8;

/** The severity of faults between controllers and API server. */
export interface StrikeOptions {
  readonly seed: number;
  /** The proportion of requests that meet a fault. */
  readonly rate: number;
  /** Whether connections may become silent, which clients notice late. */
  readonly silences: boolean;
  /** True while no fault may cause a controller to lose its Lease and so end its process. */
  readonly sparesLeases: () => boolean;
}

/** Breaks random requests, and open watches and connections, until the signal aborts. */
export async function strikeUntil(
  stopped: AbortSignal,
  proxies: readonly FaultProxy[],
  options: StrikeOptions,
): Promise<void> {
  const randoms = proxies.map((proxy, at) => {
    const byChance = faultsByChance(options.seed + at, options.rate);
    proxy.leaveTo((request) => {
      if (request.resource === 'leases' && options.sparesLeases()) return undefined;
      const fault = byChance(request);
      return fault?.kind === 'silence' && !options.silences ? { kind: 'reset' } : fault;
    });
    return seededRandom(options.seed * 31 + at);
  });
  while (!stopped.aborted) {
    await new Promise((resolve) => setTimeout(resolve, STRIKE_EVERY_MS));
    for (const [at, proxy] of proxies.entries()) strike(proxy, randoms[at]!, options);
  }
}

function strike(
  proxy: FaultProxy,
  random: Random,
  { silences, sparesLeases }: Pick<StrikeOptions, 'silences' | 'sparesLeases'>,
): void {
  if (random() < 1 / CONNECTIONS_OF) {
    proxy.planConnections({ kind: 'connection-reset' });
    const silencesAll = silences && random() < 0.2;
    if (silencesAll && !sparesLeases()) proxy.silenceConnections();
    return;
  }
  const fault = oneOf(random, watchFaults(random));
  const allowed: AnswerFault = fault.kind === 'silence' && !silences ? { kind: 'cut' } : fault;
  proxy.strike({ watch: true, resource: oneOf(random, WATCHED) }, allowed);
}
