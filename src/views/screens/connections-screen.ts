import { CONNECTION_KIND, type ConnectionResource, type ConnectionStatus } from '../../api/connection.ts';
import { CONNECTION_TEXTS, type ReasonText } from '../../api/generated/reasons.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { defined } from '../../base/defined.ts';
import { countText } from '../../base/text-for-people.ts';
import { withoutCredentials } from '../../base/url-text.ts';
import { countsOf } from './fleet-screen.ts';
import { connectionKeys, type Picture, type Pictured } from './picture.ts';
import { type Tone, TONES } from './tone.ts';

/** The connections, those with problems first. */
export interface ConnectionsScreen {
  /** A sentence such as `2 connections: 1 ready · 1 cannot be used`. */
  readonly sentence: string;
  readonly connections: readonly ConnectionCard[];
}

/** One Connection or ClusterConnection. */
export interface ConnectionCard {
  readonly kind: 'Connection' | 'ClusterConnection';
  /** The namespace; empty for a ClusterConnection. */
  readonly namespace: string;
  readonly name: string;
  readonly tone: Tone;
  /** The reason of `Ready`; absent before a controller's first check. */
  readonly reason?: string;
  readonly message?: string;
  /** The time since when `Ready` has this status. */
  readonly since?: string;
  /** The meaning of the reason, and what to do about it. */
  readonly means?: string;
  readonly todo?: string;
  /** Scheme, host and path of the service, without anything secret. */
  readonly endpoint: string;
  readonly edition: string;
  readonly tenantID?: string;
  readonly suspended: boolean;
  /** The name of the shard that serves it. */
  readonly servedBy?: string;
  /** The numbers of deployments in the list of the service. */
  readonly deployments?: { readonly total: number; readonly managed: number };
  /** The limits that the spec sets; an absent limit has its default. */
  readonly rate: {
    readonly requestsPerSecond?: number;
    readonly burst?: number;
    readonly concurrency?: number;
  };
  /** The seconds between two reads of the list, if the spec sets them. */
  readonly pollSeconds?: number;
  /** The behaviour of the service, as writes have shown it. */
  readonly learned: readonly LearnedLine[];
  readonly providers: readonly ProviderLine[];
  readonly users: ConnectionUsers;
}

/** One learned behaviour of a service. */
export interface LearnedLine {
  /** The open question of the specification, as text. */
  readonly what: string;
  readonly verdict: string;
  /** The number of observations. */
  readonly count: number;
  readonly time: string;
}

/** An OAuth provider that the service has. */
export interface ProviderLine {
  readonly name: string;
  readonly providerID: string;
  readonly type?: string;
}

/** The users of a connection. */
export interface ConnectionUsers {
  readonly count: number;
  readonly namespaces: readonly { readonly name: string; readonly count: number }[];
  /** The number of users with each tone. */
  readonly tones: Readonly<Record<Tone, number>>;
}

/** Returns the connections of a picture, with their users. */
export function connectionsScreen({ connections, fleet }: Picture): ConnectionsScreen {
  const users = new Map(
    connections.map((connection): [string, Pictured[]] => [keyText(keyOf(connection)), []]),
  );
  for (const pictured of fleet) {
    const used = connectionKeys(pictured.resource)
      .map(keyText)
      .find((key) => users.has(key));
    if (used !== undefined) users.get(used)?.push(pictured);
  }
  const cards = connections
    .map((connection) => cardOf(connection, users.get(keyText(keyOf(connection))) ?? []))
    .toSorted(
      (a, b) => TONES.indexOf(a.tone) - TONES.indexOf(b.tone) || (placeText(a) < placeText(b) ? -1 : 1),
    );
  return { sentence: sentenceOf(cards), connections: cards };
}

function placeText({ namespace, name }: ConnectionCard): string {
  return `${namespace}/${name}`;
}

function sentenceOf(cards: readonly ConnectionCard[]): string {
  if (cards.length === 0) return 'There is no Connection here';
  const counts = countsOf(cards);
  const parts = SAYS.filter(([tone]) => counts[tone] > 0).map(([tone, text]) => `${counts[tone]} ${text}`);
  return `${countText(cards.length, 'connection')}: ${parts.join(' · ')}`;
}

const SAYS: readonly (readonly [Tone, string])[] = [
  ['good', 'ready'],
  ['bad', 'cannot be used'],
  ['busy', 'in trouble that may pass'],
  ['waits', 'waiting for a person'],
  ['quiet', 'suspended or not looked at'],
];

function cardOf(connection: ConnectionResource, users: readonly Pictured[]): ConnectionCard {
  const { kind, metadata, spec, status = {} } = connection;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const { reason, message, lastTransitionTime: since } = ready ?? {};
  const { requestsPerSecond, burst, concurrency } = spec.rateLimit ?? {};
  const { means, todo } = textsOf(reason) ?? {};
  return {
    kind,
    namespace: kind === CONNECTION_KIND ? (metadata.namespace ?? '') : '',
    name: metadata.name,
    tone: toneOf(connection),
    ...defined({ reason, message, since, means, todo }),
    endpoint: withoutCredentials(status.endpoint ?? spec.baseURL),
    edition: spec.edition ?? 'Unknown',
    suspended: spec.suspend === true,
    ...defined({
      tenantID: status.learned?.tenantID,
      servedBy: status.servedBy,
      deployments: status.deployments,
    }),
    rate: defined({ requestsPerSecond, burst, concurrency }),
    ...defined({ pollSeconds: spec.poll?.intervalSeconds }),
    learned: learnedOf(status),
    providers: (status.oauthProviders ?? []).map(({ name, providerID, type }) => ({
      ...{ name, providerID },
      ...defined({ type }),
    })),
    users: usersOf(users),
  };
}

function textsOf(reason: string | undefined): ReasonText | undefined {
  const texts: Readonly<Record<string, ReasonText>> = CONNECTION_TEXTS;
  return reason !== undefined && Object.hasOwn(texts, reason) ? texts[reason] : undefined;
}

function toneOf({ spec, status }: ConnectionResource): Tone {
  const find = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const ready = find('Ready');
  if (spec.suspend === true || ready === undefined) return 'quiet';
  if (find('Stalled') !== undefined) return 'bad';
  return ready.status === 'True' ? 'good' : 'busy';
}

const QUESTIONS = {
  omittedFields: 'Fields that a change leaves out',
  nulls: 'What null does',
  lists: 'List entries that a change leaves out',
  revisionTrigger: 'What makes a revision',
  secretsVisibility: 'How values of secrets are shown',
  resourceSpecs: 'Whether lists show resource specs',
} as const;

function learnedOf({ learned = {} }: ConnectionStatus): readonly LearnedLine[] {
  return (Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]).flatMap((name) => {
    const lesson = learned[name];
    return lesson === undefined ? [] : [{ what: QUESTIONS[name], ...lesson }];
  });
}

function usersOf(users: readonly Pictured[]): ConnectionUsers {
  const namespaces = Map.groupBy(users, ({ row }) => row.namespace);
  return {
    count: users.length,
    namespaces: [...namespaces]
      .map(([name, members]) => ({ name, count: members.length }))
      .toSorted((a, b) => b.count - a.count),
    tones: countsOf(users.map(({ row }) => row)),
  };
}
