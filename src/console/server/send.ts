import type { ServerResponse } from 'node:http';

/** The policy that forbids the browser to run, load or frame anything from another server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Sets the headers of every answer. */
export function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
}

/** Answers with a text. */
export function sendText(
  response: ServerResponse,
  { status = 200, type, text }: { readonly status?: number; readonly type: string; readonly text: string },
): void {
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  response.end(text);
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, value: object): void {
  sendText(response, { status, type: 'application/json; charset=utf-8', text: JSON.stringify(value) });
}
