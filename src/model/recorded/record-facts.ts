import { defined } from '../../base/defined.ts';
import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { stableText } from '../desired/canonical-text.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { referenceOf } from '../desired/desired-deployment.ts';
import { FIELDS } from '../desired/fields.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { namedOnly } from '../external/named-only.ts';
import { textForPeople, VALUE_BYTES } from '../../base/text-for-people.ts';
import { withoutCredentials } from '../../base/url-text.ts';

/** New values for members of a status; `undefined` removes a member. */
export type StatusChange = { readonly [K in keyof DeploymentStatus]?: DeploymentStatus[K] | undefined };

type Revisions = NonNullable<DeploymentStatus['revisions']>;

/** The number of revisions that a status keeps. */
const REVISIONS_KEPT = 10;

/**
 * Returns the part of a status that repeats the service's values, for people and tools. A new update time alone is no
 * change and causes no write of the status: services touch it without changing anything.
 */
export function shownStatus(
  previous: DeploymentStatus,
  observed: ObservedDeployment,
  nowMs: number,
): StatusChange {
  const latest = observed.latestRevisionID ?? undefined;
  const rolling = latest !== undefined && latest !== observed.activeRevisionID;
  const isUntold = observed.latestRevisionID === undefined;
  const started = rolloutStarted(previous, latest);
  const facts: StatusChange = {
    deploymentID: observed.id,
    name: shownText(observed.name),
    source: shownText(observed.source) ?? previous.source,
    tenantID: observed.tenantID ?? previous.tenantID,
    serviceStatus: shownText(observed.serviceStatus) ?? previous.serviceStatus,
    createdTime: shownText(observed.createdTime) ?? previous.createdTime,
    imageVersion: shownText(observed.imageVersion),
    latestRevisionID: latest,
    activeRevisionID: observed.activeRevisionID ?? undefined,
    missingSinceTime: undefined,
    rolloutStartedTime: rolling
      ? (started ?? new Date(nowMs).toISOString())
      : isUntold
        ? previous.rolloutStartedTime
        : undefined,
    observed: observedConfig(observed) ?? previous.observed,
  };
  const newest = shownText(observed.updatedTime) ?? previous.updatedTime;
  return { ...facts, updatedTime: isNews(previous, facts) ? newest : (previous.updatedTime ?? newest) };
}

/**
 * Returns the time since which a revision is the newest one and not active, if a status knows it. An answer may have
 * shown no revision since, which ends no rollout.
 */
export function rolloutStarted(
  { latestRevisionID, revisions, rolloutStartedTime }: DeploymentStatus,
  latest: string | undefined,
): string | undefined {
  const newest = latestRevisionID ?? revisions?.[0]?.id;
  return newest === latest ? rolloutStartedTime : undefined;
}

function isNews(previous: DeploymentStatus, facts: StatusChange): boolean {
  const keys = Object.keys(facts) as (keyof StatusChange)[];
  const text = (status: StatusChange, key: keyof StatusChange): string => stableText(status[key] ?? null);
  return keys.some((key) => text(previous, key) !== text(facts, key));
}

/** Returns the pins of a resource: made at the first bind, and renewed when a moved connection is accepted. */
export function bindingOf(
  resource: DeploymentResource,
  observed: ObservedDeployment,
  settings: ConnectionSettings,
  nowMs: number,
): NonNullable<DeploymentStatus['binding']> {
  const { kind, name, namespace } = settings.name;
  const before = resource.status?.deploymentID === observed.id ? resource.status.binding : undefined;
  return {
    connectionKind: kind,
    connectionName: name,
    ...(namespace === '' ? {} : { connectionNamespace: namespace }),
    endpoint: settings.baseURL,
    ...tenant(before?.tenantID ?? observed.tenantID),
    reference: before?.reference ?? referenceOf(resource),
    time: before?.time ?? new Date(nowMs).toISOString(),
  };
}

/** Returns the history of revisions with the newest first; `ours` is true if our own write made the newest. */
export function revisionsAfter(
  resource: DeploymentResource,
  observed: ObservedDeployment,
  ours: boolean,
  nowMs: number,
): Revisions {
  const before = resource.status?.revisions ?? [];
  const latest = observed.latestRevisionID ?? undefined;
  const now = new Date(nowMs).toISOString();
  const known = latest === undefined || before.some(({ id }) => id === latest);
  const all = known ? before : [newRevision(resource, observed, latest, ours, now), ...before];
  return all
    .map((entry) =>
      entry.id === observed.activeRevisionID && entry.activeTime === undefined
        ? { ...entry, activeTime: now }
        : entry,
    )
    .map(withoutLogin)
    .slice(0, REVISIONS_KEPT);
}

/** Removes a login from the address of an image, which statuses of 0.1.0 contain in full. */
function withoutLogin(entry: Revisions[number]): Revisions[number] {
  const { imageURI } = entry;
  return imageURI === undefined ? entry : { ...entry, imageURI: shownField('imageURI', imageURI) };
}

function newRevision(
  { metadata, status }: DeploymentResource,
  observed: ObservedDeployment,
  id: string,
  ours: boolean,
  firstSeenTime: string,
): Revisions[number] {
  return {
    id,
    firstSeenTime,
    cause: ours ? 'Operator' : isKnown(status) ? 'External' : 'Unknown',
    ...(ours && metadata.generation !== undefined ? { generation: metadata.generation } : {}),
    ...revisionSource(observed),
  };
}

/** True if the operator saw the deployment before; then somebody made a newer revision. */
function isKnown(status: DeploymentStatus | undefined): boolean {
  return status?.applied !== undefined || (status?.revisions ?? []).length > 0;
}

function tenant(tenantID: string | undefined): { tenantID?: string } {
  return defined({ tenantID });
}

/** Returns the shown revision block for `status.observed`. */
export function observedConfig(observed: ObservedDeployment): DeploymentStatus['observed'] | undefined {
  const view = observed.sourceRevisionConfig;
  if (view === undefined) return undefined;
  const named = namedOnly('sourceRevisionConfig', view.fields);
  const texts = Object.entries({ ...named, repoCommitSHA: view.repoCommitSHA ?? null });
  const kept = texts.flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, shownField(key, value)]] : [],
  );
  return { sourceRevisionConfig: Object.fromEntries(kept) as Readonly<Record<string, string>> };
}

function revisionSource(observed: ObservedDeployment): { repoCommitSHA?: string; imageURI?: string } {
  const view = observed.sourceRevisionConfig;
  const image = view?.fields['imageURI'];
  return {
    ...(typeof view?.repoCommitSHA === 'string' ? { repoCommitSHA: view.repoCommitSHA } : {}),
    ...(typeof image === 'string' ? { imageURI: shownField('imageURI', image) } : {}),
  };
}

const URLS: ReadonlySet<string> = new Set(
  FIELDS.filter(({ block, display }) => block === 'sourceRevisionConfig' && display === 'url').map(
    ({ name }) => name,
  ),
);

/** Returns a value of the revision block for a status: a URL without login and query, which may contain tokens. */
function shownField(name: string, value: string): string {
  return shownText(URLS.has(name) ? withoutCredentials(value) : value);
}

/**
 * Returns a value of the service for a status. Ids are already short and plain, since others are rejected when they are
 * read.
 */
function shownText(value: string): string;
function shownText(value: string | null | undefined): string | undefined;
function shownText(value: string | null | undefined): string | undefined {
  return typeof value === 'string' ? textForPeople(value, VALUE_BYTES) : undefined;
}
