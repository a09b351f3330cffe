import type { WireJson } from '../../wire/json.ts';

/** A request as the service gets it. */
export interface SimulatedRequest {
  readonly method: string;
  /** The path without the base path and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * How an answer travels: as a whole, not at all (the connection stays open), cut off by a reset before its first
 * byte or in the middle of its body, or ended early without saying so.
 */
export type Delivery = 'whole' | 'hang' | 'reset' | 'reset-mid-body' | 'truncated';

/** An answer of the service, and how it travels. */
export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delivery: Delivery;
}

/** The target of a request: one of the four documented endpoints, of the three that are only mentioned, or unknown. */
export type Operation =
  'providers' | 'repositories' | 'list' | 'patch' | 'create' | 'get' | 'delete' | 'other';

/** An answer that carries JSON. */
export function jsonAnswer(status: number, body: WireJson): SimulatedAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    delivery: 'whole',
  };
}

/** An answer without a body. */
export function emptyAnswer(status: number): SimulatedAnswer {
  return { status, headers: {}, body: '', delivery: 'whole' };
}

/** An answer as a person would see it in a browser. */
export function htmlAnswer(status: number, title: string): SimulatedAnswer {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body, delivery: 'whole' };
}
