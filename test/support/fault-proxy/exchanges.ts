import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Answer } from './answer.ts';
import type { Connection, Connections } from './connections.ts';
import {
  type AnswerFault,
  type Fault,
  type FaultMatch,
  isMeant,
  isRequestFault,
  type PlannedFault,
} from './fault.ts';
import { type ProxiedRequest, requestKind } from './proxied-request.ts';
import type { ProxyLog } from './proxy-log.ts';
import type { ProxyUsers, UpstreamUser } from './users.ts';

/** Chooses a random fault for a request without a planned one. */
export type Chance = (request: ProxiedRequest) => Fault | undefined;

interface Exchange {
  readonly request: ProxiedRequest;
  readonly user: UpstreamUser;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection | undefined;
}

/** Forwards requests to the API server and its answers back, with the planned faults. */
export class Exchanges {
  readonly #users: ProxyUsers;
  readonly #connections: () => Connections;
  readonly #log: ProxyLog;
  readonly #planned: { readonly fault: PlannedFault; left: number }[] = [];
  readonly #answers = new Map<Answer, ProxiedRequest>();
  chance: Chance | undefined;

  constructor(users: ProxyUsers, connections: () => Connections, log: ProxyLog) {
    this.#users = users;
    this.#connections = connections;
    this.#log = log;
  }

  plan(fault: PlannedFault): void {
    this.#planned.push({ fault, left: fault.times ?? 1 });
  }

  clearPlans(): void {
    this.#planned.length = 0;
    this.chance = undefined;
    for (const answer of this.#answers.keys()) answer.hasten();
  }

  /** Strikes running answers and returns their number. */
  strike(match: FaultMatch, fault: AnswerFault): number {
    const met = [...this.#answers].filter(([, request]) => isMeant(match, request));
    for (const [answer] of met) answer.strike(fault);
    return met.length;
  }

  /** Returns the requests whose answer has begun and not ended. */
  underWay(match: FaultMatch): readonly ProxiedRequest[] {
    return [...this.#answers.values()].filter((request) => isMeant(match, request));
  }

  /** Handles one request. */
  handle(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = incoming;
    const user = this.#users.byHeader(incoming.headers.authorization);
    const connection = this.#connections().behind(incoming.socket);
    const request = this.#log.asked({
      atMs: Date.now(),
      connection: connection?.number ?? 0,
      user: user?.name ?? '',
      method,
      url,
      ...requestKind(method, url),
    });
    if (user === undefined) return refuse(response, 401);
    const exchange: Exchange = { request, user, incoming, response, connection };
    this.#meet(exchange, this.#faultFor(request));
  }

  #faultFor(request: ProxiedRequest): Fault | undefined {
    const at = this.#planned.findIndex(({ fault }) => isMeant(fault.match, request));
    const planned = this.#planned[at];
    if (planned === undefined) return this.chance?.(request);
    planned.left -= 1;
    if (planned.left === 0) this.#planned.splice(at, 1);
    return planned.fault.fault;
  }

  #meet(exchange: Exchange, fault: Fault | undefined): void {
    const { incoming, request, response } = exchange;
    if (fault === undefined) return this.#forward(exchange, []);
    if (!isRequestFault(fault)) return this.#forward(exchange, [fault]);
    this.#log.struck(Date.now(), fault, request);
    switch (fault.kind) {
      case 'reset':
        return reset(exchange);
      case 'reset-unanswered':
        return this.#forward(exchange, [], () => reset(exchange));
      case 'swallow':
        incoming.resume();
        return;
      case 'delay': {
        const timer = setTimeout(() => this.#forward(exchange, []), fault.ms);
        response.once('close', () => clearTimeout(timer));
        return;
      }
      case 'status':
        incoming.resume();
        return refuse(response, fault.status, fault.retryAfter);
    }
  }

  #forward(exchange: Exchange, faults: readonly AnswerFault[], instead?: () => void): void {
    const { incoming, request, response, user } = exchange;
    const { host: _host, authorization: _token, ...headers } = incoming.headers;
    const outgoing = httpsRequest(new URL(request.url, user.server), {
      method: request.method,
      headers: { ...headers, ...user.headers },
      agent: user.agent,
    });
    response.once('close', () => outgoing.destroy());
    outgoing.once('error', () => reset(exchange));
    outgoing.once('response', (upstream) => {
      if (instead === undefined) this.#answer(exchange, upstream, faults);
      else upstream.resume().once('end', instead);
    });
    incoming.pipe(outgoing);
  }

  #answer(exchange: Exchange, upstream: IncomingMessage, faults: readonly AnswerFault[]): void {
    const { connection, request, response } = exchange;
    response.writeHead(upstream.statusCode ?? 502, upstream.headers).flushHeaders();
    const struck = (fault: AnswerFault): void => this.#log.struck(Date.now(), fault, request);
    const answer = new Answer({ upstream, response, connection, struck }, faults);
    this.#answers.set(answer, request);
    response.once('close', () => this.#answers.delete(answer));
  }
}

function reset({ connection, response }: Exchange): void {
  connection?.resetAtEnd();
  response.socket?.destroy();
}

function refuse(response: ServerResponse, status: number, retryAfter?: string): void {
  const headers = {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  };
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message: 'fault proxy' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}
