import { isDeepStrictEqual } from 'node:util';
import type { Content } from '../../../../src/simulator/state/deployment-state.ts';
import type { LoggedRequest } from '../../../../src/simulator/api/request-log.ts';
import { isWireObject, listOf, textOf } from '../../../../src/simulator/values/wire-values.ts';
import type { WireJson, WireObject } from '../../../../src/wire/wire-json.ts';

/** A part of a PATCH that had no effect, since the deployment had these values already. */
export interface Repeat {
  readonly request: LoggedRequest;
  /** A key of source_config, or a block that is always sent whole. */
  readonly part: string;
}

/**
 * Returns the creations that the service processed although it had processed one for the same incarnation of a
 * resource.
 */
export function duplicateCreates(requests: readonly LoggedRequest[]): readonly string[] {
  const seen = new Map<string, number>();
  for (const { body, dealtMs, operation } of requests) {
    if (operation !== 'create' || dealtMs === undefined) continue;
    const incarnation = incarnationOf(body);
    seen.set(incarnation, (seen.get(incarnation) ?? 0) + 1);
  }
  return [...seen].flatMap(([of, times]) => (times > 1 ? [`${of} was created ${times} times`] : []));
}

/**
 * Returns the parts of PATCHes that repeat values of the service. Blocks without a rule for merging are sent whole,
 * so such a block repeats only if it changes nothing at all; every other value must differ.
 */
export function repeats(requests: readonly LoggedRequest[]): readonly Repeat[] {
  return requests.flatMap((request) => {
    const { body, found, operation } = request;
    if (operation !== 'patch' || found === undefined || !isWireObject(body)) return [];
    return repeatedParts(body, found).map((part) => ({ request, part }));
  });
}

function repeatedParts(body: WireObject, found: Content): readonly string[] {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(objectAt(body, 'source_config'))) {
    const kept = found.sourceConfig[key];
    if (key === 'resource_spec' ? addsNothing(value, kept) : isDeepStrictEqual(value, kept)) parts.push(key);
  }
  const revision = body['source_revision_config'];
  if (revision !== undefined && addsNothing(revision, found.revisionConfig)) parts.push('revision config');
  if (body['secrets'] !== undefined && sameSecrets(body['secrets'], found)) parts.push('secrets');
  return parts;
}

function addsNothing(sent: WireJson, kept: WireJson | undefined): boolean {
  if (!isWireObject(sent) || !isWireObject(kept)) return isDeepStrictEqual(sent, kept);
  return Object.entries(sent).every(([key, value]) => isDeepStrictEqual(value, kept[key]));
}

function sameSecrets(sent: WireJson, { secrets }: Content): boolean {
  const values = (list: readonly WireJson[]): Record<string, unknown> =>
    Object.fromEntries(list.filter(isWireObject).map(({ name, value }) => [textOf(name), value]));
  return isDeepStrictEqual(values(listOf(sent)), values(secrets.map((secret) => ({ ...secret }))));
}

function objectAt(body: WireObject, key: string): WireObject {
  const value = body[key];
  return isWireObject(value) ? value : {};
}

/** Returns `agent-3:2` for the second time that the resource was applied. */
function incarnationOf(body: WireJson | undefined): string {
  const image = isWireObject(body) ? objectAt(body, 'source_revision_config')['image_uri'] : undefined;
  return typeof image === 'string' ? image.replace(/^.*\//, '').replace(/\.\d+$/, '') : '?';
}
