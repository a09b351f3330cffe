import type { DeploymentResource } from '../../api/deployment.ts';
import type { ActionEnd, ConsoleBackend } from '../../console/server/console-backend.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ActionRequest, PlanRequest } from '../../views/screens/console-messages.ts';
import { connectionsScreen } from '../../views/screens/connections-screen.ts';
import { deploymentScreen } from '../../views/screens/deployment-screen-of.ts';
import type { DeploymentScreen } from '../../views/screens/deployment-screen.ts';
import { driftScreen } from '../../views/screens/drift-screen.ts';
import { drifts } from '../../views/screens/drift-of.ts';
import { fleetScreen } from '../../views/screens/fleet-screen.ts';
import type { Overview } from '../../views/screens/overview.ts';
import { type KnownRows, type Picture, pictureOf } from '../../views/screens/picture.ts';
import type { PlanNow } from '../../views/screens/plan-now.ts';
import type { ActionSetting } from '../../views/screens/screen-action.ts';
import { shownSafely } from '../../views/screens/shown-safely.ts';
import { waitingKind, waitingScreen } from '../../views/screens/waiting-screen.ts';
import { VERSION } from '../operator/version.ts';
import { actOn } from './act-on.ts';
import type { ConsoleSource } from './console-source.ts';

/** The parts of a backend. */
export interface BackendParts {
  readonly clock: Clock;
  readonly allowActions: boolean;
  readonly yaml: (value: unknown) => string;
  /** Plans one resource as `plan` does. */
  readonly plan: (
    source: ConsoleSource,
    name: PlanRequest,
    signal: AbortSignal,
  ) => Promise<PlanNow | undefined>;
}

/**
 * The time after which an action with a missing right can be tried again: an administrator may have granted the right.
 */
const LACKING_MS = 60_000;

/** Screens over any source. They are made on demand, from a picture that is rebuilt once per change. */
export class SourceBackend implements ConsoleBackend {
  readonly #parts: BackendParts;
  readonly #listeners = new Set<() => void>();
  readonly #known: KnownRows = new WeakMap();
  readonly #lacking = new Map<string, { readonly right: string; readonly sinceMs: number }>();
  #source: ConsoleSource | undefined;
  #picture: { readonly version: number; readonly picture: Picture } | undefined;
  #planning: Promise<unknown> = Promise.resolve();
  version = 1;

  constructor(parts: BackendParts) {
    this.#parts = parts;
  }

  /** Switches to a source. */
  show(source: ConsoleSource): void {
    this.#source = source;
    this.changed();
  }

  /** Reports that something on a screen has changed. */
  changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }

  subscribe(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  freshness() {
    return shownSafely(this.#from.freshness());
  }

  overview(): Overview {
    const { fleet, connections } = this.#now();
    const { mode, place, flags } = this.#from;
    const byNamespace = Map.groupBy(fleet, ({ row }) => row.namespace);
    return shownSafely({
      ...{ place, mode, flags, version: VERSION, allowActions: this.#parts.allowActions },
      namespaces: [...byNamespace]
        .map(([name, members]) => ({ name, count: members.length }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      waiting: fleet.filter(({ row }) => waitingKind(row) !== undefined).length,
      drifted: fleet.filter(({ resource }) => drifts(resource)).length,
      connections: connections.length,
      freshness: this.#from.freshness(),
    });
  }

  fleet(about: { readonly filter: string; readonly page: number }) {
    return shownSafely(fleetScreen(this.#now().fleet, about));
  }

  async deployment(name: PlanRequest, signal: AbortSignal): Promise<DeploymentScreen | undefined> {
    const found = this.#now().fleet.find(
      ({ row }) => row.name === name.name && row.namespace === name.namespace,
    );
    return found === undefined ? undefined : this.#screenOf(found.resource, signal);
  }

  connections() {
    return shownSafely(connectionsScreen(this.#now()));
  }

  waiting(page: number) {
    const versionOf = ({ resource }: { readonly resource: DeploymentResource }): string =>
      this.#from.versionOf(resource);
    return shownSafely(waitingScreen(this.#now().fleet, { page, actions: this.#actions, versionOf }));
  }

  drift() {
    return shownSafely(driftScreen(this.#now().fleet));
  }

  /** Makes plans one after the other, since each reads all declarations. */
  async plan(name: PlanRequest, signal: AbortSignal): Promise<PlanNow | undefined> {
    const before = this.#planning;
    const planned = before.then(async () => {
      signal.throwIfAborted();
      return this.#parts.plan(this.#from, name, signal);
    });
    this.#planning = planned.catch(() => undefined);
    const plan = await planned;
    return plan === undefined ? undefined : shownSafely(plan);
  }

  async act(request: ActionRequest, signal: AbortSignal): Promise<ActionEnd> {
    const show = (resource: DeploymentResource): Promise<DeploymentScreen> =>
      this.#screenOf(resource, signal);
    const end = await actOn(request, { source: this.#from, nowMs: this.#parts.clock.now(), show }, signal);
    if (end.kind === 'forbidden' && end.missingRight !== undefined) {
      this.#lacking.set(request.namespace, { right: end.missingRight, sinceMs: this.#parts.clock.now() });
      this.changed();
    } else if (end.kind === 'done') this.#lacking.delete(request.namespace);
    return end;
  }

  get #from(): ConsoleSource {
    if (this.#source === undefined) throw new Error('the console shows no source yet');
    return this.#source;
  }

  get #actions(): ActionSetting {
    const source = this.#from;
    return {
      allowed: this.#parts.allowActions,
      missingRight: (namespace) => this.#lackedIn(namespace),
      ...(source.placeOf !== undefined && {
        placeOf: (resource: DeploymentResource) => source.placeOf?.(resource),
      }),
    };
  }

  #lackedIn(namespace: string): string | undefined {
    const lacked = this.#lacking.get(namespace);
    const holds = lacked !== undefined && this.#parts.clock.now() - lacked.sinceMs < LACKING_MS;
    return holds ? lacked.right : undefined;
  }

  async #screenOf(resource: DeploymentResource, signal: AbortSignal): Promise<DeploymentScreen> {
    const source = this.#from;
    const { events, error } = await source.events(resource, signal);
    const [pictured] = pictureOf([resource], source.connections()).fleet;
    if (pictured === undefined) throw new Error('a resource makes a picture');
    return shownSafely(
      deploymentScreen(pictured, {
        ...{ events, eventsError: error, actions: this.#actions, yaml: this.#parts.yaml },
        resourceVersion: source.versionOf(resource),
      }),
    );
  }

  #now(): Picture {
    if (this.#picture?.version !== this.version) {
      const picture = pictureOf(this.#from.deployments(), this.#from.connections(), this.#known);
      this.#picture = { version: this.version, picture };
    }
    return this.#picture.picture;
  }
}
