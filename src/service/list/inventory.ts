import { createHash } from 'node:crypto';
import { defined } from '../../base/defined.ts';
import { ConnectionError } from '../../model/connection/failure.ts';
import { SecretValue } from '../../base/secret-value.ts';
import { type Decoded, decodePage, decodeProviders, decodeRepositories } from '../../wire/decode.ts';
import type { WireJson } from '../../wire/wire-json.ts';
import type { WireProvider } from '../../wire/wire-provider.ts';
import type { WireRepository } from '../../wire/wire-repository.ts';
import { answerJson, hasTooManyParts, MOST_PARTS_OF_PAGE } from '../limits/answer-json.ts';
import { TooMuchError } from '../limits/own-errors.ts';
import type { ServiceAnswer, ServiceRequest } from '../http/exchange.ts';
import type { KnownPage, Page } from './pages.ts';

/**
 * Makes the request GET /v2/deployments (4.3). Parameter names are not documented, so they come from the connection.
 */
export function listRequest(query: Readonly<Record<string, string | number>>): ServiceRequest {
  const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return { operation: 'list', method: 'GET', path: '/v2/deployments', query: new URLSearchParams(entries) };
}

/** The request GET /v2/auth/providers (4.1). */
export const PROVIDERS_REQUEST: ServiceRequest = {
  operation: 'providers',
  method: 'GET',
  path: '/v2/auth/providers',
};

/** Makes the request GET /v1/integrations/forge/codehost/{integration_id}/repos (4.2). */
export function repositoriesRequest(integrationID: string): ServiceRequest {
  const id = encodeURIComponent(integrationID);
  return { operation: 'repositories', method: 'GET', path: `/v1/integrations/forge/codehost/${id}/repos` };
}

/** Returns a page of deployments with at most `mostParts` parts. Throws a ConnectionError if the answer is not one. */
export function pageOf(answer: ServiceAnswer, mostParts: number = MOST_PARTS_OF_PAGE): Page {
  const page = decoded(answer, {
    decode: (json) => decodePage(json, sealed),
    what: 'a list of deployments (an object with resources)',
    mostParts,
  });
  return { ...page, bytes: Buffer.byteLength(answer.text) };
}

/** Reads a page and makes a digest of its text. Returns the known page if the text is the same. */
export function pageBeside(known: KnownPage | undefined, answer: ServiceAnswer, mostParts: number): Page {
  const digest = createHash('sha256').update(answer.text).digest('base64');
  if (known?.digest !== digest) return { ...pageOf(answer, mostParts), digest };
  const { offset } = known;
  const bytes = Buffer.byteLength(answer.text);
  return {
    items: [],
    unknownFields: new Map(),
    malformed: [],
    ...defined({ offset }),
    bytes,
    digest,
    repeats: known,
  };
}

/** Returns the providers of an organization. Throws a ConnectionError if the answer contains none. */
export function providersOf(answer: ServiceAnswer): Decoded<WireProvider> {
  return decoded(answer, {
    decode: decodeProviders,
    what: 'a list of providers',
    mostParts: MOST_INVENTORY_PARTS,
  });
}

/** Returns the repositories of an integration. Throws a ConnectionError if the answer contains none. */
export function repositoriesOf(answer: ServiceAnswer): Decoded<WireRepository> {
  return decoded(answer, {
    decode: decodeRepositories,
    what: 'a list of repositories',
    mostParts: MOST_INVENTORY_PARTS,
  });
}

/** More parts than ten thousand repositories have. */
const MOST_INVENTORY_PARTS = 100_000;

/** Makes a secret value opaque while it is decoded. */
export function sealed(text: string): SecretValue {
  return new SecretValue(text);
}

/** The content that an answer must have. */
interface Expected<T> {
  /** Decodes the content; undefined for any other content. */
  readonly decode: (json: WireJson) => T | undefined;
  readonly what: string;
  readonly mostParts: number;
}

function decoded<T>({ text, headers }: ServiceAnswer, { decode, what, mostParts }: Expected<T>): T {
  if (hasTooManyParts(text, mostParts)) throw new TooMuchError(`the answer has more than ${mostParts} parts`);
  const json = answerJson(text, mostParts);
  if (json === undefined) {
    throw new ConnectionError(
      `the answer is not JSON (${typeOf(headers['content-type'])}); is spec.baseURL the address of the service?`,
      {
        reason: 'NotJSON',
        sent: 'no',
      },
    );
  }
  if (lengthOf(json) > MOST_ITEMS) throw unusable(`the answer lists more than ${MOST_ITEMS} at once`);
  const value = decode(json);
  if (value !== undefined) return value;
  throw unusable(`the answer is JSON, but not ${what}`);
}

/** Media types that are shown unchanged; a header may contain anything. */
const KNOWN_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/octet-stream',
  'application/problem+json',
  'application/xhtml+xml',
  'application/xml',
  'text/html',
  'text/plain',
  'text/xml',
]);

function typeOf(header: string | undefined): string {
  if (header === undefined) return 'no content type';
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase();
  return KNOWN_TYPES.has(type) ? type : 'another content type';
}

/** The largest number of items: more than any page requests, and more than any service shows that ignores limits. */
const MOST_ITEMS = 50_000;

function lengthOf(json: WireJson): number {
  const list = isList(json) || typeof json !== 'object' || json === null ? json : json['resources'];
  return isList(list) ? list.length : 0;
}

function isList(json: WireJson | undefined): json is readonly WireJson[] {
  return Array.isArray(json);
}

function unusable(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'ProtocolError', sent: 'no' });
}
