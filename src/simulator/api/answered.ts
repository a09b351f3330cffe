import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { DeploymentState } from '../state/deployment-state.ts';
import {
  emptyAnswer,
  errorAnswer,
  jsonAnswer,
  type Operation,
  refusal,
  type SimulatedAnswer,
  type SimulatedRequest,
} from './exchange.ts';
import { asListItem } from './as-list-item.ts';
import { listQuery, page, pageBody, shrunk } from './listing.ts';
import { echoed } from './echoed.ts';
import { answeredContent } from '../state/patched-content.ts';
import { isWireObject } from '../values/wire-values.ts';
import { createProblems, isUUID, patchProblems, problem, type RequestProblem } from './request-check.ts';
import type { ServiceSemantics } from '../switches/semantics.ts';
import { shownDeployment } from './shown-deployment.ts';
import { DEFAULT_TENANT, type World } from '../state/world.ts';

/** An accepted request, and the receiver of the findings about it. */
export interface Call {
  readonly world: World;
  readonly request: SimulatedRequest;
  /** The id in the path, if it contains one. */
  readonly id: string;
  /** The tenant that the caller named, if a header names it. */
  readonly tenantID: string | undefined;
  /** The body as JSON; undefined if there is none, or if it is not JSON. */
  readonly body: WireJson | undefined;
  readonly note: (problems: readonly RequestProblem[]) => void;
}

/** Returns the operation of a request, and the id in its path. */
export function routed(method: string, path: string): { readonly operation: Operation; readonly id: string } {
  const one = /^\/v2\/deployments\/([^/]+)$/.exec(path);
  const repositories = /^\/v1\/integrations\/forge\/codehost\/([^/]+)\/repos$/.exec(path);
  const operation =
    ROUTES[`${method} ${one ? '/v2/deployments/{id}' : repositories ? '/repos' : path}`] ?? 'other';
  return { operation, id: one?.[1] ?? repositories?.[1] ?? '' };
}

/** Returns the answer to a call, without faults and admission. */
export function answered(operation: Operation, call: Call): SimulatedAnswer {
  return ENDPOINTS[operation](call);
}

const ROUTES: Readonly<Record<string, Operation>> = {
  'GET /v2/auth/providers': 'providers',
  'GET /repos': 'repositories',
  'GET /v2/deployments': 'list',
  'POST /v2/deployments': 'create',
  'PATCH /v2/deployments/{id}': 'patch',
  'GET /v2/deployments/{id}': 'get',
  'DELETE /v2/deployments/{id}': 'delete',
};

const ENDPOINTS: Record<Operation, (call: Call) => SimulatedAnswer> = {
  providers: ({ world }) =>
    jsonAnswer(
      200,
      world.providers.map((provider): WireObject => ({ ...provider })),
    ),
  repositories,
  list,
  patch,
  create,
  get: (call) => {
    const { retrieval } = call.world.semanticsOf();
    if (retrieval !== 'available') return missing(call, retrieval);
    return withDeployment(call, (state) => jsonAnswer(200, shown(call, state)));
  },
  delete: (call) => {
    const { deletion } = call.world.semanticsOf();
    if (deletion !== 'available' && deletion !== 'accepted-only') return missing(call, deletion);
    return withDeployment(call, (state) => {
      if (deletion === 'available') call.world.remove(state);
      return emptyAnswer(204);
    });
  },
  other: (call) => {
    call.note([
      problem('unknown-operation', ['path'], 'is not an operation that the specification mentions'),
    ]);
    const known = /^\/v2\/(deployments(\/[^/]+)?|auth\/providers)$/.test(call.request.path);
    return fail(call, known ? 405 : 404, known ? 'Method Not Allowed' : 'Not Found');
  },
};

function repositories(call: Call): SimulatedAnswer {
  if (!isUUID(call.id))
    return refused(call, [problem('bad-uuid', ['path', 'integration_id'], 'must be a UUID')]);
  const integration = call.world.integrations.find(({ id }) => id === call.id);
  if (integration === undefined) return fail(call, 404, 'Integration not found');
  return jsonAnswer(
    200,
    integration.repositories.map((repository): WireObject => ({ ...repository })),
  );
}

function list(call: Call): SimulatedAnswer {
  const semantics = call.world.semanticsOf();
  const { asked, problems } = listQuery(call.request.query, semantics);
  if (problems.length > 0) return refused(call, problems);
  if ((asked.ids?.split(',').length ?? 0) > semantics.maxIDs) return fail(call, 414, 'URI Too Long');
  const listed = call.world.listed().filter(({ state }) => visible(call, state));
  const { items, offset } = page(shrunk(listed, semantics), asked, semantics);
  const resources = items.map(({ state, atMs }) => {
    const own = call.world.semanticsOf(state.id);
    return asListItem(shownDeployment(state, atMs, own), state, own);
  });
  return jsonAnswer(200, pageBody(resources, offset));
}

function patch(call: Call): SimulatedAnswer {
  return withDeployment(call, (before) => {
    const { world, body } = call;
    const unreadable = bodyProblem(call);
    if (unreadable !== undefined || body === undefined) return unreadable ?? notJSON(call);
    const semantics = world.semanticsOf(before.id);
    const problems = patchProblems(body, before, semantics);
    call.note(problems);
    const refusing = problems.filter(({ refused }) => refused);
    if (refusing.length > 0 || !isWireObject(body)) return refusal(semantics, refusing, body);
    const shownBefore = shown(call, before);
    const after = world.patch(before, body);
    const told = { ...after, content: answeredContent(before.content, body, semantics) };
    return echoed(semantics.patchEcho, { before: shownBefore, after: shown(call, told) }, body);
  });
}

function create(call: Call): SimulatedAnswer {
  const { world, body } = call;
  const semantics = world.semanticsOf();
  if (semantics.creation !== 'available') return missing(call, semantics.creation);
  const unreadable = bodyProblem(call);
  if (unreadable !== undefined || body === undefined) return unreadable ?? notJSON(call);
  const problems = createProblems(body);
  if (problems.length > 0 || !isWireObject(body)) return refused(call, problems);
  const taken = world.all().some((state) => state.name === body['name'] && visible(call, state));
  if (taken && semantics.duplicateNames === 'refused-409') {
    return fail(call, 409, 'A deployment with this name exists');
  }
  const state = world.create(body, call.tenantID ?? DEFAULT_TENANT);
  const full = shown(call, state);
  const answer = echoed(semantics.patchEcho, { before: full, after: full }, body);
  return answer.status === 200 ? { ...answer, status: 201 } : answer;
}

function withDeployment(call: Call, answer: (state: DeploymentState) => SimulatedAnswer): SimulatedAnswer {
  if (!isUUID(call.id))
    return refused(call, [problem('bad-uuid', ['path', 'deployment_id'], 'must be a UUID')]);
  const state = call.world.get(call.id.toLowerCase()) ?? call.world.get(call.id);
  return state !== undefined && visible(call, state)
    ? answer(state)
    : fail(call, 404, 'Deployment not found');
}

function visible({ tenantID }: Call, state: DeploymentState): boolean {
  return tenantID === undefined || state.tenantID === tenantID;
}

function shown({ world }: Call, state: DeploymentState): WireObject {
  return shownDeployment(state, world.clock.now(), world.semanticsOf(state.id));
}

function bodyProblem(call: Call): SimulatedAnswer | undefined {
  const type = call.request.headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type)) {
    call.note([problem('content-type', ['body'], 'must be application/json (4.4)')]);
    return fail(call, 415, 'Unsupported Media Type');
  }
  return call.body === undefined ? notJSON(call) : undefined;
}

function notJSON(call: Call): SimulatedAnswer {
  return refused(call, [problem('not-json', ['body'], 'must be JSON')]);
}

function refused(call: Call, problems: readonly RequestProblem[]): SimulatedAnswer {
  call.note(problems);
  return refusal(semanticsFor(call), problems, call.body ?? null);
}

function fail(call: Call, status: number, message: string): SimulatedAnswer {
  return errorAnswer(semanticsFor(call), status, message);
}

function missing(call: Call, how: 'missing-404' | 'missing-405' | 'missing-501'): SimulatedAnswer {
  const status = Number(how.slice(-3));
  return fail(
    call,
    status,
    { 404: 'Not Found', 405: 'Method Not Allowed', 501: 'Not Implemented' }[status] ?? '',
  );
}

function semanticsFor({ world, id }: Call): ServiceSemantics {
  return world.semanticsOf(id === '' ? undefined : id);
}
