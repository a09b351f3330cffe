import { chosenConnection, type ConnectionWish } from '../../views/resources/chosen-connection.ts';
import { type Chosen, chosenBy, type DeploymentFilter } from '../../views/resources/deployment-filter.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { connectionHider } from '../../model/connection/connection-secrets.ts';
import type { Listed, ObservedProvider, ObservedRepository } from '../../model/external/inventory.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { redactedWhole } from '../../model/outcome/pass-redaction.ts';
import type { Redact } from '../../model/redaction/redact.ts';
import type { Session, SessionService } from './session.ts';

/** The criteria of a search for deployments. */
export interface DeploymentsWish extends DeploymentFilter {
  /** Query parameters by which the service also filters. */
  readonly parameter?: Readonly<Record<string, string>>;
}

/** The deployments of a search, in the order of their names. */
export interface FoundDeployments extends Chosen {
  /** Everything that the service lists without a filter. */
  readonly listed: readonly ObservedDeployment[];
  /**
   * The ids of deployments whose data contains the value of a secret header of the connection; the value is redacted.
   */
  readonly repeating: ReadonlySet<string>;
  /** Notes for people about the search. */
  readonly notes: readonly string[];
}

/** Returns the service of the chosen connection. Throws one line if there is none, or if it cannot be used. */
export function serviceOf(
  session: Session,
  wish: ConnectionWish,
  signal: AbortSignal,
): Promise<SessionService> {
  return session.service(chosenConnection(session.connections, wish), signal);
}

/**
 * Finds deployments of a service. Sends the parameters under the given names, and compares the result with the whole
 * list, since a service may silently ignore an unknown name.
 */
export async function findDeployments(
  service: SessionService,
  wish: DeploymentsWish,
  signal: AbortSignal,
): Promise<FoundDeployments> {
  const { parameter = {} } = wish;
  const whole = await service.list({}, signal);
  const asks = Object.keys(parameter).length > 0;
  if (asks) refusePaging(service, parameter);
  const answer = asks ? await service.list(parameter, signal) : whole;
  const chosen = chosenBy(wish, answer.deployments);
  const same = asks && answer.deployments.length === whole.deployments.length;
  const ids = new Set(whole.deployments.map(({ id }) => id));
  const unlisted = answer.deployments.filter(({ id }) => !ids.has(id));
  const hide = connectionHider(service.client.settings);
  const { deployments, repeating } = hidden(chosen.deployments, hide);
  return {
    ...chosen,
    repeating,
    deployments: deployments.toSorted(byName),
    listed: [...whole.deployments, ...unlisted],
    notes: [
      ...(same ? [unheeded(parameter, whole.deployments.length)] : []),
      ...[...chosen.notShown].map(([name, count]) => notShown(name, count)),
      ...answer.problems.map((problem) => `left out, since it cannot be read: ${hide(problem)}`),
    ],
  };
}

function hidden(
  shown: readonly ObservedDeployment[],
  hide: Redact,
): Pick<FoundDeployments, 'deployments' | 'repeating'> {
  const repeating = new Set<string>();
  const noting = (id: string) => (text: string) => {
    const without = hide(text);
    if (without !== text) repeating.add(id);
    return without;
  };
  return { deployments: shown.map((each) => redactedWhole(each, noting(each.id))), repeating };
}

/** Returns the OAuth providers of an organization (4.1). Throws a ConnectionError. */
export async function findProviders(
  { client }: SessionService,
  signal: AbortSignal,
): Promise<Listed<ObservedProvider>> {
  return given(await client.providers(Number.NEGATIVE_INFINITY, signal), client);
}

/** Returns the repositories of a code-host integration (4.2). Throws a ConnectionError. */
export async function findRepositories(
  { client }: SessionService,
  integrationID: string,
  signal: AbortSignal,
): Promise<Listed<ObservedRepository>> {
  return given(await client.repositories(integrationID, Number.NEGATIVE_INFINITY, signal), client);
}

function byName(a: ObservedDeployment, b: ObservedDeployment): number {
  return a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1;
}

function given<T>(listed: Listed<T>, { settings }: SessionService['client']): Listed<T> {
  if (listed.trouble !== undefined) throw listed.trouble;
  return { ...listed, items: redactedWhole(listed.items, connectionHider(settings)) };
}

/** Throws an error if a parameter has the name of a paging parameter. */
function refusePaging({ client }: SessionService, parameter: Readonly<Record<string, string>>): void {
  const { limit, offset } = client.settings.list.parameters;
  const paging = [limit, offset].find((name) => Object.hasOwn(parameter, name));
  if (paging === undefined) return;
  throw new ExpectedError(
    `--parameter ${paging}: the operator sets this parameter to ask for pages; leave it out`,
  );
}

function unheeded(parameter: Readonly<Record<string, string>>, count: number): string {
  const text = Object.entries(parameter).map(([name, value]) => `${name}=${value}`);
  return `${text.join(' and ')} left all ${count} deployments in the list: the service may not know that parameter`;
}

function notShown(name: string, count: number): string {
  const what = { source: 'source', status: 'status', imageVersion: 'image version' }[name] ?? name;
  return `left out ${count} whose ${what} the service does not show`;
}
