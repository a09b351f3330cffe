import type { Clock } from '../../ports/process/clock.ts';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { act, type Action, ActionError } from '../faults/act.ts';
import { admission } from '../api/admission.ts';
import type { DeploymentState } from '../state/deployment-state.ts';
import { answered, type Call, routed } from '../api/answered.ts';
import { errorAnswer, type Operation, type SimulatedAnswer, type SimulatedRequest } from '../api/exchange.ts';
import { withFaults } from '../faults/with-faults.ts';
import { listQuery } from '../api/listing.ts';
import {
  comes,
  type MatchedRequest,
  type PlannedAction,
  type PlannedFault,
  RequestQueue,
} from '../faults/scenario.ts';
import { RateLimit } from '../api/rate-limit.ts';
import { RequestLog } from '../api/request-log.ts';
import { EMPTY_SEED, type ServiceSeed } from '../state/service-seed.ts';
import type { SemanticsPatch, ServiceSemantics } from '../switches/semantics.ts';
import { shownDeployment } from '../api/shown-deployment.ts';
import { objectOf, textOf } from '../values/wire-values.ts';
import { World } from '../state/world.ts';

/** The initial state of a simulated service, and the actions planned for its requests. */
export interface SimulationSeed extends ServiceSeed {
  readonly faults?: readonly PlannedFault[];
  readonly actions?: readonly PlannedAction[];
}

/** The parts of a simulated service. */
export interface SimulatedServiceOptions {
  readonly clock: Clock;
  readonly seed?: SimulationSeed;
  /** The seed of the ids: they are the same in every run with the same text. */
  readonly idSeed?: string;
}

/** The parts of a request that name deployments. */
interface ReadRequest {
  readonly operation: Operation;
  readonly query: URLSearchParams;
  /** The id in the path; '' if it contains none. */
  readonly id: string;
  readonly body: WireJson | undefined;
}

/**
 * The Deployment Management Service in memory. It supports the four documented endpoints, and creation and deletion if
 * they are switched on. Every open question of the specification is a switch that can be changed at run time.
 */
export class SimulatedService {
  readonly log = new RequestLog();
  /** Faults that wait for their requests. */
  readonly faults = new RequestQueue<PlannedFault>();
  /** Actions that wait for their requests. */
  readonly actions = new RequestQueue<PlannedAction>();
  readonly #world: World;
  readonly #rateLimit = new RateLimit();

  constructor({ clock, seed = EMPTY_SEED, idSeed = 'simulator' }: SimulatedServiceOptions) {
    this.#world = new World(clock, seed, idSeed);
    for (const fault of seed.faults ?? []) this.faults.add(fault);
    for (const action of seed.actions ?? []) this.actions.add(action);
  }

  /** Handles one request. Always resolves; `delivery` says how the server must deliver the answer. */
  async handle(request: SimulatedRequest): Promise<SimulatedAnswer> {
    const { operation, id } = routed(request.method, request.path);
    const body = parsed(request.body);
    const number = this.log.begin({
      operation,
      method: request.method,
      path: request.path,
      query: request.query.toString(),
      id,
      body,
      userAgent: request.headers['user-agent'],
      requestID: request.headers['x-request-id'],
      beganMs: this.#world.clock.now(),
    });
    const deployment = this.#namesIn({ operation, query: request.query, id, body });
    const matched = { operation, method: request.method, path: request.path, deployment };
    const faults = this.faults.due(matched).map(({ fault }) => fault);
    const answer = await withFaults(faults, this.#world, () => {
      this.#actAround('before', matched);
      this.log.dealt(number, this.#world.clock.now(), this.#world.get(id)?.content);
      return this.#answer({ request, id, body, number });
    });
    this.log.end(number, {
      endedMs: this.#world.clock.now(),
      status: answer.status,
      delivery: answer.delivery,
      faults: faults.map(({ kind }) => kind),
    });
    this.#actAround('after', { ...matched, status: answer.status });
    return answer;
  }

  /** Returns the switches in force, for one deployment (id or name) or for all. */
  semantics(deployment?: string): ServiceSemantics {
    return this.#world.semanticsOf(deployment === undefined ? undefined : this.#idOf(deployment));
  }

  /** Changes switches, for one deployment (id or name) or for all. */
  setSemantics(patch: SemanticsPatch, deployment?: string): void {
    this.#world.setSemantics(patch, deployment === undefined ? undefined : this.#idOf(deployment));
  }

  /** Sets all switches to the pleasant service again. */
  resetSemantics(): void {
    this.#world.resetSemantics();
  }

  /** Carries out an action of an actor other than the client at once. Throws ActionError if it is impossible. */
  act(action: Action): DeploymentState | undefined {
    return act(this.#world, action);
  }

  /** Returns a deployment as the service keeps it, by id or name, with plain secrets and all revisions. */
  deployment(idOrName: string): DeploymentState | undefined {
    return this.#world.find(idOrName);
  }

  /** Returns every deployment as the service keeps it. */
  deployments(): readonly DeploymentState[] {
    return this.#world.all();
  }

  /** Returns a deployment as an answer of the service would show it now, by id or name. */
  shown(idOrName: string): WireObject | undefined {
    const state = this.#world.find(idOrName);
    if (state === undefined) return undefined;
    return shownDeployment(state, this.#world.clock.now(), this.#world.semanticsOf(state.id));
  }

  #answer(about: {
    readonly request: SimulatedRequest;
    readonly id: string;
    readonly body: WireJson | undefined;
    readonly number: number;
  }): SimulatedAnswer {
    const { request, id, body, number } = about;
    const world = this.#world;
    const semantics = world.semanticsOf();
    const throttled = this.#throttled(semantics);
    if (throttled !== undefined) return throttled;
    const admitted = admission(semantics.auth, request.headers, world.clock.now() - world.startMs);
    if (!admitted.admitted) return errorAnswer(semantics, admitted.status, admitted.message);
    const call: Call = {
      world,
      request,
      id,
      tenantID: admitted.tenantID,
      body,
      note: (problems) => this.log.note(number, problems),
    };
    return answered(routed(request.method, request.path).operation, call);
  }

  #throttled(semantics: ServiceSemantics): SimulatedAnswer | undefined {
    const seconds = this.#rateLimit.refusedFor(semantics, this.#world.clock.now());
    if (seconds === undefined) return undefined;
    const answer = errorAnswer(semantics, 429, 'Too Many Requests');
    return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } };
  }

  #actAround(side: 'before' | 'after', request: MatchedRequest): void {
    for (const { action, delaySeconds = 0 } of this.actions.due(request, comes(side))) {
      if (delaySeconds === 0) this.#actIfPossible(action);
      else this.#world.clock.after(delaySeconds * 1000, () => this.#actIfPossible(action));
    }
  }

  #actIfPossible(action: Action): void {
    try {
      this.act(action);
    } catch (error) {
      // A planned action without a target is dropped; the request continues.
      if (!(error instanceof ActionError)) throw error;
    }
  }

  /** Returns the ids and names by which a request names deployments. */
  #namesIn({ operation, query, id, body }: ReadRequest): readonly string[] {
    if (operation === 'create') return [textOf(objectOf(body)['name'])];
    if (operation !== 'list') return this.#namesOf(id);
    const { ids, name } = listQuery(query, this.#world.semanticsOf()).asked;
    const named = ids?.split(',').flatMap((each) => this.#namesOf(each)) ?? [];
    return name === undefined ? named : [...named, name];
  }

  #namesOf(id: string): readonly string[] {
    const state = id === '' ? undefined : this.#world.get(id);
    return state === undefined ? [id] : [state.id, state.name];
  }

  #idOf(idOrName: string): string {
    return this.#world.find(idOrName)?.id ?? idOrName;
  }
}

function parsed(text: string): WireJson | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as WireJson;
  } catch {
    return undefined;
  }
}
