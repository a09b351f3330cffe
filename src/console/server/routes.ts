import type { IncomingMessage, ServerResponse } from 'node:http';
import { defined } from '../../base/defined.ts';
import type { ActionRequest } from '../../views/screens/console-messages.ts';
import type { ActionName } from '../../views/screens/screen-action.ts';
import type { ActionEnd, ConsoleBackend } from './console-backend.ts';
import type { EventStreams } from './event-streams.ts';
import { Refusal } from './refusal.ts';
import { sendJson } from './send.ts';
import { isSame, type Session } from './session.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';

/** One request, and the parts that answer it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Aborts when the page no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** The parts behind the routes. */
export interface RouteParts {
  readonly backend: ConsoleBackend;
  readonly session: Session;
  readonly streams: EventStreams;
  readonly allowActions: boolean;
}

type Route = (exchange: Exchange, parts: RouteParts) => Promise<void> | void;

/** Routes without a session, which show no data. */
const OPEN: Readonly<Record<string, Route>> = { 'POST /api/session': beginSession };

/** Routes that require the cookie; POST also requires the header. */
const GUARDED: Readonly<Record<string, Route>> = {
  'GET /api/session': ({ request, response }, { session }) =>
    sendJson(response, 200, { csrf: session.csrfOf(request.headers.cookie) ?? '' }),
  'GET /api/overview': ({ response }, { backend }) => sendJson(response, 200, backend.overview()),
  'GET /api/fleet': ({ response, query }, { backend }) =>
    sendJson(response, 200, backend.fleet({ filter: textOf(query, 'filter'), page: pageIn(query) })),
  'GET /api/deployment': showDeployment,
  'GET /api/connections': ({ response }, { backend }) => sendJson(response, 200, backend.connections()),
  'GET /api/waiting': ({ response, query }, { backend }) =>
    sendJson(response, 200, backend.waiting(pageIn(query))),
  'GET /api/drift': ({ response }, { backend }) => sendJson(response, 200, backend.drift()),
  'GET /api/stream': ({ response }, { streams }) => streams.open(response),
  'POST /api/plan': planNow,
  'POST /api/actions': act,
};

/** Answers a request below /api. Throws a Refusal. */
export async function answerApi(path: string, exchange: Exchange, parts: RouteParts): Promise<void> {
  const { method = '', headers } = exchange.request;
  const name = `${method} ${path}`;
  const open = routeIn(OPEN, name);
  if (open !== undefined) return open(exchange, parts);
  const csrf = parts.session.csrfOf(headers.cookie);
  if (csrf === undefined) throw new Refusal(401, NO_SESSION);
  const route = routeIn(GUARDED, name);
  if (route === undefined) throw noRoute(path);
  const given = headers['x-csrf-token'];
  if (method !== 'GET' && !(typeof given === 'string' && isSame(given, csrf)))
    throw new Refusal(403, 'the header X-CSRF-Token is missing or wrong; load the page again');
  return route(exchange, parts);
}

const NO_SESSION =
  'there is no session; open the address that the console printed, or start it once more where that was used';

function routeIn(routes: Readonly<Record<string, Route>>, name: string): Route | undefined {
  return Object.hasOwn(routes, name) ? routes[name] : undefined;
}

function noRoute(path: string): Refusal {
  const isThere = ['GET', 'POST'].some((method) => Object.hasOwn(GUARDED, `${method} ${path}`));
  return isThere
    ? new Refusal(405, 'this path takes another method')
    : new Refusal(404, 'there is no such path');
}

async function beginSession({ request, response }: Exchange, { session }: RouteParts): Promise<void> {
  const begun = session.begin(textIn(await readJson(request), 'token'));
  if (begun === undefined) throw new Refusal(401, NO_SESSION);
  response.setHeader('Set-Cookie', begun.setCookie);
  sendJson(response, 200, { csrf: begun.csrf });
}

async function showDeployment({ response, query, signal }: Exchange, { backend }: RouteParts): Promise<void> {
  const name = { namespace: textOf(query, 'namespace'), name: textOf(query, 'name') };
  const screen = await backend.deployment(name, signal);
  if (screen === undefined) throw notFound(name);
  sendJson(response, 200, screen);
}

async function planNow({ request, response, signal }: Exchange, { backend }: RouteParts): Promise<void> {
  const body = await readJson(request);
  const name = { namespace: textIn(body, 'namespace'), name: textIn(body, 'name') };
  const plan = await backend.plan(name, signal);
  if (plan === undefined) throw notFound(name);
  sendJson(response, 200, plan);
}

async function act({ request, response, signal }: Exchange, parts: RouteParts): Promise<void> {
  if (!parts.allowActions)
    throw new Refusal(403, 'this console only looks; start it with --allow-actions to act from it');
  const body = await readJson(request);
  const end = await parts.backend.act(actionIn(body), signal);
  if (end.kind === 'done') sendJson(response, 200, { done: end.done });
  else throw refusalOf(end);
}

const ACTIONS: Readonly<Record<ActionName, true>> = {
  ...{ approve: true, pause: true, resume: true, reconcile: true, redeploy: true },
};

function actionIn(body: Parameters<typeof textIn>[0]): ActionRequest {
  const action = textIn(body, 'action');
  if (!Object.hasOwn(ACTIONS, action)) throw new Refusal(400, 'there is no such action');
  const hash = body['hash'] !== undefined ? textIn(body, 'hash') : undefined;
  if (action === 'approve' && hash === undefined)
    throw new Refusal(400, 'approve needs the hash of the plan');
  return {
    action: action as ActionName,
    ...defined({ hash }),
    ...{ namespace: textIn(body, 'namespace'), name: textIn(body, 'name') },
    resourceVersion: textIn(body, 'resourceVersion'),
  };
}

function refusalOf(end: Exclude<ActionEnd, { kind: 'done' }>): Refusal {
  return end.kind === 'changed'
    ? new Refusal(409, end.error, defined({ screen: end.screen }))
    : new Refusal(403, end.error, defined({ missingRight: end.missingRight }));
}

function notFound({ namespace, name }: { readonly namespace: string; readonly name: string }): Refusal {
  return new Refusal(404, `there is no Deployment ${namespace}/${name}; it may have been deleted meanwhile`);
}

/** The longest text in an address. */
const MOST_QUERY = 1024;

function textOf(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? '';
  if (text.length <= MOST_QUERY) return text;
  throw new Refusal(400, `${name} has at most ${MOST_QUERY} characters`);
}

function pageIn(query: URLSearchParams): number {
  const text = textOf(query, 'page');
  if (text === '') return 1;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Refusal(400, 'page must be a number');
}

/** The longest body, in bytes: ten times the size of our longest request. */
const MOST_BYTES = 16_384;

/** Reads the body of a request as a JSON object. Throws a Refusal for anything else. */
async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const type = request.headers['content-type']?.split(';')[0]?.trim();
  if (type !== 'application/json') throw new Refusal(415, 'only application/json is understood here');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Refusal(413, `a request has at most ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  const value = parsed(Buffer.concat(parts).toString('utf8'));
  if (isJsonObject(value)) return value;
  throw new Refusal(400, 'the request is no object of JSON');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a member that must be a text of at most `most` characters. Throws a Refusal if it is not. */
function textIn(body: JsonObject, name: string, most = 512): string {
  const value = body[name];
  if (typeof value === 'string' && value.length <= most) return value;
  throw new Refusal(400, `${name} must be a text of at most ${most} characters`);
}
