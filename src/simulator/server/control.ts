import { type Action, ActionError } from '../faults/act.ts';
import { readAction, readFault, readPlannedAction } from './control-reading.ts';
import type { DeploymentState } from '../state/deployment-state.ts';
import { jsonAnswer, type SimulatedAnswer, type SimulatedRequest } from '../api/exchange.ts';
import { DocumentError, readDocument } from '../values/reader.ts';
import { deployment } from './deployment-reading.ts';
import type { SimulatedService } from './simulated-service.ts';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';

/**
 * The path below which a client controls the simulator, possibly from another process. It is not part of the service.
 */
export const CONTROL_PREFIX = '/_simulator/';

/** Answers a request below CONTROL_PREFIX: 200 with the result, or 4xx with a list of problems. */
export function control(service: SimulatedService, request: SimulatedRequest): SimulatedAnswer {
  const route = ROUTES[`${request.method} ${request.path.slice(CONTROL_PREFIX.length)}`];
  if (route === undefined) {
    return jsonAnswer(404, {
      problems: [
        `${request.method} ${request.path}: is not known; expected one of ${Object.keys(ROUTES).join(', ')}`,
      ],
    });
  }
  try {
    return jsonAnswer(200, plain(route(service, request)));
  } catch (error) {
    if (error instanceof DocumentError) return jsonAnswer(422, { problems: error.problems });
    if (error instanceof ActionError) return jsonAnswer(404, { problems: [error.message] });
    throw error;
  }
}

type Route = (service: SimulatedService, request: SimulatedRequest) => unknown;

const ROUTES: Readonly<Record<string, Route>> = {
  'GET state': (service) => ({
    semantics: service.semantics(),
    deployments: service.deployments(),
    counts: service.log.counts(),
    maxInFlight: service.log.maxInFlight(),
    connections: service.log.connections,
    violations: service.log.violations,
    faults: service.faults.pending,
    actions: service.actions.pending,
  }),
  'GET deployments': (service) => service.deployments().map(({ id }) => service.shown(id)),
  'POST deployments': (service, request) =>
    acted(service, { kind: 'add', seed: readDocument(deployment, bodyOf(request)) }),
  'POST edit': (service, request) => acted(service, readAction('edit', bodyOf(request))),
  'POST push': (service, request) => acted(service, readAction('push', bodyOf(request))),
  'POST redeploy': (service, request) => acted(service, readAction('redeploy', bodyOf(request))),
  'POST delete': (service, request) => acted(service, readAction('delete', bodyOf(request))),
  'GET semantics': (service, { query }) => service.semantics(query.get('deployment') ?? undefined),
  'POST semantics': (service, request) => {
    const action = readAction('switch', bodyOf(request));
    service.act(action);
    return service.semantics('deployment' in action ? action.deployment : undefined);
  },
  'DELETE semantics': (service) => {
    service.resetSemantics();
    return service.semantics();
  },
  'GET faults': (service) => service.faults.pending,
  'POST faults': (service, request) => {
    for (const item of each(bodyOf(request))) service.faults.add(readFault(item));
    return service.faults.pending;
  },
  'DELETE faults': (service) => {
    service.faults.clear();
    return service.faults.pending;
  },
  'GET actions': (service) => service.actions.pending,
  'POST actions': (service, request) => {
    for (const item of each(bodyOf(request))) service.actions.add(readPlannedAction(item));
    return service.actions.pending;
  },
  'DELETE actions': (service) => {
    service.actions.clear();
    return service.actions.pending;
  },
  'GET requests': (service, { query }) => service.log.since(Number(query.get('since') ?? 0)),
  'DELETE requests': (service) => {
    service.log.clear();
    return [];
  },
  'GET violations': (service) => service.log.violations,
};

function acted(service: SimulatedService, action: Action): WireObject {
  const state: DeploymentState | undefined = service.act(action);
  return (state === undefined ? undefined : service.shown(state.id)) ?? {};
}

function bodyOf(request: SimulatedRequest): WireJson {
  try {
    return JSON.parse(request.body) as WireJson;
  } catch {
    throw new DocumentError(['the body: is not JSON; expected a JSON object']);
  }
}

function each(value: WireJson): readonly WireJson[] {
  return Array.isArray(value) ? (value as readonly WireJson[]) : [value];
}

/** Returns a date as JSON writes it: dates out of range become null. */
function plain(value: unknown): WireJson {
  return JSON.parse(JSON.stringify(value ?? null)) as WireJson;
}
