import { windowMs } from '../../model/compare/assess.ts';
import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { Expected } from '../../model/external/doubt.ts';
import type { ConnectionError } from '../../model/connection/failure.ts';
import { connectionRedactor } from '../../model/connection/connection-secrets.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { CallPriority, News } from '../../ports/service/external-client.ts';
import type { Metrics } from '../../ports/process/metrics.ts';
import type { CallEnvironment, Line } from '../calls/call.ts';
import { DeploymentList, type ReadAnswer } from '../list/deployment-list.ts';
import { Doubts } from './doubts.ts';
import { IDsFilter } from '../list/ids-filter.ts';
import { Inventories } from '../list/inventories.ts';
import type { KeptShare } from '../limits/kept-room.ts';
import { ServiceLearning } from './service-learning.ts';
import { inDoubt } from '../limits/own-errors.ts';
import { Poller } from '../list/poller.ts';
import type { WriteSubject } from './refused-write.ts';
import { ServiceClient } from './service-client.ts';
import { type SnapshotChange, tenantOf, type Wanted } from '../list/snapshot.ts';

/** The parts that belong to one address of the service: another address starts without knowledge. */
export interface ServiceAtAddress {
  readonly list: DeploymentList;
  readonly poller: Poller;
  readonly doubts: Doubts;
  readonly idsFilter: IDsFilter;
  readonly inventories: Inventories;
  readonly client: ServiceClient;
}

/** The parts that a connection gives to its components for one address. */
export interface AddressParts {
  /** The name of the connection in metrics and logs. */
  readonly connection: string;
  readonly environment: CallEnvironment;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly settings: () => ConnectionSettings;
  /** Returns the line in use, for a client that still belongs to the connection. */
  readonly lineOf: (client: ServiceClient) => Line;
  readonly readAnswer: ReadAnswer;
  /** Returns the deployments to which resources are bound through this connection. */
  readonly expected: () => readonly Expected[];
  /** Returns the deployments that resources look for through this connection. */
  readonly wanted: () => Wanted;
  /** Returns the deployments whose resources next wait for a pass of this urgency, at most `most`. */
  readonly upNext: (priority: CallPriority, most: number) => readonly string[];
  /** Makes a share of the room for a list. */
  readonly newShare: () => KeptShare;
  /** Makes a share of the room for answers to writes, or for reads of single deployments. */
  readonly newAnswersShare: () => KeptShare;
  /** Makes a share of the room for the evidence by which writes are judged. */
  readonly newEvidenceShare: () => KeptShare;
  /** The largest number of members and items of an answer. */
  readonly mostParts: number;
  readonly onServiceChange: (change: SnapshotChange) => void;
  /** Reports trouble that concerns the whole connection, with the error of the client; a failed sweep has none. */
  readonly onTrouble: (met?: ConnectionError, subject?: WriteSubject) => void;
  /** Called when the service has handled a write. */
  readonly onLetIn: () => void;
  /** Called when a sweep over the list has ended well. */
  readonly onSwept: () => void;
  readonly onLearned: (news: News) => void;
  /** Aborts when the connection ends. */
  readonly ending: AbortSignal;
}

/**
 * A name made of ordinary words, like those of the specification; a service may name a field after a secret of a
 * deployment.
 */
const ORDINARY_NAME = /^[a-z]{1,20}(?:_[a-z]{1,20}){0,5}$/;

/**
 * The number of waiting deployments to look through, as a multiple of the room in a call: those that a call has just
 * read are skipped.
 */
const UP_NEXT_FACTOR = 4;

/** Makes the parts that read and write at one address. */
export function serviceAtAddress(parts: AddressParts): ServiceAtAddress {
  const { environment, settings, readAnswer, onTrouble, ending } = parts;
  const { clock } = environment;
  const list = new DeploymentList({
    clock,
    read: readAnswer,
    mostParts: parts.mostParts,
    settings: () => settings().list,
    onUnknownFields: (names) => logUnknownFields(names, parts),
  });
  const doubts = new Doubts({ expected: parts.expected, endpoint: () => settings().baseURL });
  const learning = new ServiceLearning({
    clock,
    windowMs: () => windowMs(settings()),
    onLearned: parts.onLearned,
    areSecretsListed: () => poller.secretsListed,
    newShare: parts.newEvidenceShare,
  });
  const poller = pollerOf(list, parts, { doubts, learning });
  const idsFilter = new IDsFilter({
    clock,
    parameter: () => settings().list.parameters.ids,
    onDropped: () => parts.onLearned({ kind: 'lesson' }),
    fetch: (takeIDs, priority) => list.withIDs(takeIDs, priority, ending),
    upNext: (priority, most) =>
      client.notJustRead(parts.upNext(priority, UP_NEXT_FACTOR * most)).slice(0, most),
    onRead: (read) => client.keepRead(read),
  });
  const inventories = new Inventories({ clock, readAnswer, ending, newShare: parts.newShare });
  const client: ServiceClient = new ServiceClient({
    ...{ settings, poller, doubts, idsFilter, inventories, environment, onTrouble, learning },
    line: () => parts.lineOf(client),
    answersShare: parts.newAnswersShare(),
    singlesShare: parts.newAnswersShare(),
    onLetIn: parts.onLetIn,
  });
  return { list, poller, doubts, idsFilter, inventories, client };
}

/** Logs the names that consist of ordinary words, and counts the other names. */
function logUnknownFields(
  names: readonly string[],
  { connection, settings, logger }: Pick<AddressParts, 'connection' | 'settings' | 'logger'>,
): void {
  const fields = names.filter((name) => ORDINARY_NAME.test(name)).map(connectionRedactor(settings()));
  const others = names.length - fields.length;
  logger.debug('the service shows fields that are not known', {
    connection,
    fields,
    ...(others > 0 && { others }),
  });
}

/** Makes a poller, which reads the list repeatedly and reports what each sweep shows. */
function pollerOf(
  list: DeploymentList,
  parts: AddressParts,
  { doubts, learning }: { readonly doubts: Doubts; readonly learning: ServiceLearning },
): Poller {
  const { connection, environment, metrics, settings, onTrouble } = parts;
  let wasReadable = true;
  const poller: Poller = new Poller({
    clock: environment.clock,
    fetchPage: (request, signal) => list.page(request, signal),
    intervalMs: () => settings().poll.intervalMs,
    requestsPerSecond: () => settings().rateLimit.requestsPerSecond,
    pageSize: () => settings().list.pageSize,
    wanted: parts.wanted,
    share: parts.newShare(),
    work: (task) => environment.intake.measured(task),
    onChange: (change) => {
      const tenantID = tenantOf(poller.snapshot);
      if (tenantID !== undefined) learning.belongsTo(tenantID);
      // This comes first, so that resources which wake up wait for the result of the check.
      const raised = poller.snapshot && doubts.raisedBy(poller.snapshot);
      if (raised !== undefined) onTrouble(inDoubt(raised));
      parts.onServiceChange(change);
    },
    onShown: (shown, beganMs) => learning.glance(shown, beganMs),
    onFirstShown: () => parts.onLearned({ kind: 'seen' }),
    onFailure: () => onTrouble(),
    onSwept: (result) => {
      metrics.swept(connection, result);
      if (result === 'failed') return;
      const isReadable = poller.snapshot?.problems.length === 0;
      if (isReadable && !wasReadable) parts.onLearned({ kind: 'readable' });
      wasReadable = isReadable;
      parts.onSwept();
    },
  });
  return poller;
}
