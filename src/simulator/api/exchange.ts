import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { RequestProblem } from './request-check.ts';
import type { ErrorShape, ServiceSemantics } from '../switches/semantics.ts';

/** A request as the service receives it. */
export interface SimulatedRequest {
  readonly method: string;
  /** The path without the base path and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The delivery of an answer: whole, not at all (the connection stays open), cut by a reset before its first byte or
 * in the middle of its body, or ended early without a sign.
 */
export type Delivery = 'whole' | 'hang' | 'reset' | 'reset-mid-body' | 'truncated';

/** An answer of the service, and its delivery. */
export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delivery: Delivery;
}

/** The target of a request: one of the four documented endpoints, of the three that are only mentioned, or unknown. */
export type Operation =
  'providers' | 'repositories' | 'list' | 'patch' | 'create' | 'get' | 'delete' | 'other';

/** Makes an answer that contains JSON. */
export function jsonAnswer(status: number, body: WireJson): SimulatedAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    delivery: 'whole',
  };
}

/** Makes an answer without a body. */
export function emptyAnswer(status: number): SimulatedAnswer {
  return { status, headers: {}, body: '', delivery: 'whole' };
}

/** Makes an answer as a person would see it in a browser. */
export function htmlAnswer(status: number, title: string): SimulatedAnswer {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body, delivery: 'whole' };
}

/** Makes an error answer in the shape of the switches (section 7 shows none). */
export function errorAnswer(semantics: ServiceSemantics, status: number, message: string): SimulatedAnswer {
  return SHAPES[semantics.errorShape](status, message);
}

/** Makes the answer to a request that the check refused; it repeats the request if the service is that careless. */
export function refusal(
  semantics: ServiceSemantics,
  problems: readonly RequestProblem[],
  request: WireJson,
): SimulatedAnswer {
  const text = problems.map(({ path, message }) => `${path.slice(1).join('.')} ${message}`).join('; ');
  if (semantics.errorShape !== 'detail') {
    const echo = semantics.errorEcho ? ` in ${JSON.stringify(request)}` : '';
    return errorAnswer(semantics, 422, text + echo);
  }
  const detail = problems.map(({ rule, path, message }): WireObject => ({
    type: rule,
    loc: path,
    msg: message,
    ...(semantics.errorEcho ? { input: request } : {}),
  }));
  return jsonAnswer(422, { detail });
}

const SHAPES: Record<ErrorShape, (status: number, message: string) => SimulatedAnswer> = {
  detail: (status, detail) => jsonAnswer(status, { detail }),
  message: (status, message) => jsonAnswer(status, { message }),
  error: (status, error) => jsonAnswer(status, { error }),
  'error-message': (status, message) => jsonAnswer(status, { error: { code: status, message } }),
  errors: (status, message) => jsonAnswer(status, { errors: [{ message }] }),
  title: (status, title) => jsonAnswer(status, { type: 'about:blank', title, status }),
  text: (status, body) => ({
    status,
    headers: { 'content-type': 'text/plain' },
    body,
    delivery: 'whole',
  }),
  empty: (status) => emptyAnswer(status),
};
