import type { DeploymentResource } from '../../api/deployment.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Transport } from '../client/exchange.ts';

/** An event of a resource, as the API server keeps it for about an hour. */
export interface ResourceEvent {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** The largest number of events that are read: a resource gets fewer in an hour. */
const MOST_EVENTS = 100;

/** Reads the events of one resource, unordered. Throws an ApiError. */
export async function eventsOf(
  transport: Transport,
  { metadata: { name, namespace = '', uid } }: DeploymentResource,
  signal: AbortSignal,
): Promise<readonly ResourceEvent[]> {
  const fields = { name, uid };
  const chosen = Object.entries(fields).filter(([, value]) => value !== undefined);
  const fieldSelector = chosen.map(([key, value]) => `involvedObject.${key}=${value}`).join(',');
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const answer = await transport.request('GET', path, {
    query: { fieldSelector, limit: MOST_EVENTS },
    signal,
  });
  const items: unknown = isJsonObject(answer.json) ? answer.json['items'] : undefined;
  return Array.isArray(items) ? items.flatMap(eventFrom) : [];
}

/**
 * Reads an event. Events of the newer group have their own times and counts, even when the older group returns them.
 */
function eventFrom(item: unknown): readonly ResourceEvent[] {
  if (!isJsonObject(item)) return [];
  const series: JsonObject = isJsonObject(item['series']) ? item['series'] : {};
  const metadata: JsonObject = isJsonObject(item['metadata']) ? item['metadata'] : {};
  const time = [
    ...[series['lastObservedTime'], item['lastTimestamp'], item['eventTime'], item['firstTimestamp']],
    metadata['creationTimestamp'],
  ].find((value) => typeof value === 'string' && value !== '');
  const count = [series['count'], item['count']].find((value) => typeof value === 'number' && value > 0);
  return [
    {
      time: textOf(time),
      type: textOf(item['type']),
      reason: textOf(item['reason']),
      message: textOf(item['message']),
      count: typeof count === 'number' ? count : 1,
    },
  ];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
