import type { WireJson, WireObject } from '../../wire/json.ts';
import { emptyAnswer, jsonAnswer, type SimulatedAnswer } from './exchange.ts';
import type { RequestProblem } from './request-check.ts';
import type { ErrorShape, ServiceSemantics } from '../switches/semantics.ts';

/** An error answer in the shape that the switches ask for (section 7 shows none). */
export function errorAnswer(semantics: ServiceSemantics, status: number, message: string): SimulatedAnswer {
  return SHAPES[semantics.errorShape](status, message);
}

/** The answer to a request that the check refused; repeats the request where the service is that careless. */
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
