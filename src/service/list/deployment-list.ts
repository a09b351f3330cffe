import { type ConnectionSettings, DEFAULTS } from '../../model/connection/connection.ts';
import { ConnectionError } from '../../model/connection/failure.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { Reading } from '../calls/call.ts';
import { MOST_UNKNOWN_FIELDS } from '../../wire/reading.ts';
import { PATIENCE } from '../calls/turns.ts';
import { listRequest, pageBeside, pageOf } from './inventory.ts';
import type { KnownPage, Page } from './pages.ts';

/** Reads one answer through the queue of the connection. */
export type ReadAnswer = <T>(reading: Reading<T>, signal: AbortSignal) => Promise<T>;

/** The parts of the list. */
export interface DeploymentListOptions {
  readonly clock: Clock;
  readonly read: ReadAnswer;
  /** The largest number of members and items of an answer. */
  readonly mostParts: number;
  readonly settings: () => ConnectionSettings['list'];
  /** Called with fields of deployments that the specification does not name, when they are first seen. */
  readonly onUnknownFields: (names: readonly string[]) => void;
}

/** The number of more urgent calls that may overtake a read by id that a sweep will answer as well. */
const SWEEP_PATIENCE = 4 * PATIENCE;

/**
 * The name under which reads by id take turns, as if they were a namespace, separately from the pages of a sweep: an
 * edit that needs such a read does not wait for the pages.
 */
const READS_BY_ID = 'reads by id';

/** The urgency of a read. */
type Urgency = Pick<Reading<unknown>, 'priority' | 'patience'>;

/** One page of the list. */
export interface PageRequest extends Urgency {
  readonly offset: number;
  readonly limit: number;
  readonly filter?: ListFilter;
  /** The same page from an earlier sweep. */
  readonly known?: KnownPage | undefined;
}

type Parameter = 'limit' | 'offset';

type UseAnswer = Reading<Page>['use'];

type Query = Readonly<Record<string, string | number>>;

/** Query parameters that choose deployments (4.3), under the names that the service knows. */
export type ListFilter = Readonly<Record<string, string>>;

/** The parameters that are sent; if the service refuses one line, the operator tries the next (N19). */
const SELECTIONS: readonly (readonly Parameter[])[] = [['limit', 'offset'], ['offset'], ['limit'], []];

/**
 * The list endpoint (4.3) of one connection. The names of its parameters are not documented. If the service refuses a
 * request because of them, the operator leaves them out one by one until the settings change. It tries again after ten
 * minutes, since a service that fails also refuses known parameters.
 */
export class DeploymentList {
  readonly #options: DeploymentListOptions;
  readonly #unknownFields = new Set<string>();
  #selection = 0;
  #againMs = 0;
  #selectedFor: ConnectionSettings['list'] | undefined;

  constructor(options: DeploymentListOptions) {
    this.#options = options;
  }

  /** Describes the parameters that the service refuses; undefined if there are none. */
  get note(): string | undefined {
    const { parameters } = this.#options.settings();
    const kept = SELECTIONS[this.#selection] ?? [];
    const refused = (['limit', 'offset'] as const).filter((parameter) => !kept.includes(parameter));
    const names = refused.map((parameter) => `${parameters[parameter]} (spec.list.parameters.${parameter})`);
    return names.length === 0 ? undefined : `the list refuses the parameter ${names.join(' and ')}`;
  }

  /** Reads one page, filtered if there is a filter. Throws a ConnectionError. */
  async page({ offset, limit, filter, known, ...urgency }: PageRequest, signal: AbortSignal): Promise<Page> {
    const settings = this.#options.settings();
    const isDue = offset === 0 && this.#selection > 0 && this.#options.clock.now() >= this.#againMs;
    if (isDue || this.#selectedFor !== settings) this.#selection = 0;
    this.#selectedFor = settings;
    const values = { limit, offset };
    for (let selection = this.#selection; ; selection += 1) {
      const sent = SELECTIONS[selection] ?? [];
      const paging = Object.fromEntries(sent.map((name) => [settings.parameters[name], values[name]]));
      const query = { ...filter, ...paging };
      try {
        const use: UseAnswer = (answer) => pageBeside(known, answer, this.#options.mostParts);
        const page = await this.#get({ request: () => listRequest(query), use, ...urgency }, signal);
        if (selection !== this.#selection) this.#againMs = this.#options.clock.now() + DEFAULTS.resyncMs;
        this.#selection = selection;
        return page;
      } catch (error) {
        // Only the first page decides: on later pages, a refusal may concern the value of the parameter.
        if (offset > 0 || !refusesParameters(error) || selection === SELECTIONS.length - 1) throw error;
      }
    }
  }

  /**
   * Reads the deployments with these ids, if the service applies the filter. Chooses the ids when there is a permit.
   * Throws a ConnectionError.
   */
  async withIDs(
    takeIDs: () => readonly string[],
    priority: CallPriority,
    signal: AbortSignal,
  ): Promise<Page> {
    const query = (): Query => {
      const { parameters } = this.#options.settings();
      const limit = SELECTIONS[this.#selection]?.includes('limit') === true;
      const ids = takeIDs();
      return { [parameters.ids]: ids.join(','), ...(limit ? { [parameters.limit]: ids.length } : {}) };
    };
    // The next sweep shows the same without an extra call.
    const patience = priority === 'resync' ? SWEEP_PATIENCE : undefined;
    const use: UseAnswer = (answer) => pageOf(answer, this.#options.mostParts);
    const reading = { request: () => listRequest(query()), use, priority, patience, turnsAs: READS_BY_ID };
    return this.#get(reading, signal);
  }

  async #get(reading: Reading<Page>, signal: AbortSignal): Promise<Page> {
    const page = await this.#options.read(reading, signal);
    const room = MOST_UNKNOWN_FIELDS - this.#unknownFields.size;
    const unknown = [...page.unknownFields.keys()].filter((name) => !this.#unknownFields.has(name));
    const fresh = unknown.slice(0, room);
    for (const name of fresh) this.#unknownFields.add(name);
    if (fresh.length > 0) this.#options.onUnknownFields(fresh);
    return page;
  }
}

/** True for an answer that may be about a parameter that the service does not know. */
export function refusesParameters(error: unknown): boolean {
  return error instanceof ConnectionError && (error.status === 400 || error.status === 422);
}
