import type { ConnectionResource } from '../../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import type { Change } from '../../model/compare/change.ts';
import type { KeyedHashes } from '../../model/recorded/digests.ts';
import { planView, type ViewedDecision } from '../../views/plans/plan-view.ts';
import type { PlannedResource } from '../../views/plans/planned-resource.ts';
import { reviewedWrite } from '../../views/plans/saved-plan.ts';
import { connectionReferences } from '../../model/connection/data-references.ts';
import { unusableConnectionText } from '../../views/resources/chosen-connection.ts';
import { type Goal, type Standing, standingOf } from '../../views/resources/standing.ts';
import type { HeldBack, WriteGate, WriteOperation } from '../../ports/service/write-gate.ts';
import type { PassResult } from '../../runtime/controller/run-pass.ts';
import type { Oversight } from '../operator/oversight.ts';
import type { ReviewedWrites } from './reviewed-writes.ts';

/** A write that waits for the answer of a person. */
export interface Question {
  readonly key: Key;
  readonly operation: WriteOperation;
}

/** The writes to send, and the state of all other resources. */
export interface ApplyPlan {
  readonly questions: readonly Question[];
  /** The plans in the order of the resources. A resource without a write is `None`, `Wait` or `Held`. */
  readonly resources: readonly PlannedResource[];
}

/** The progress of a resource, which may be deleted. */
export interface ResourceStanding {
  readonly key: Key;
  readonly standing: Standing;
}

/** The operator's parts that the oversight uses. */
export interface Overseen {
  readonly list: () => readonly DeploymentResource[];
  readonly listConnections: () => readonly ConnectionResource[];
}

/** The result of the newest pass over a resource. Only after `recorded` does the status contain it. */
type Passed = 'held back' | 'postponed' | 'failed' | 'recorded';

/** Before the question to a person, nothing is sent and passes record nothing; the answer ends the wait. */
const UNTIL_ANSWERED: HeldBack = { kind: 'postponed', againInMs: 3_600_000 };

const NOT_ASKED: HeldBack = {
  kind: 'waiting',
  reason: 'AwaitingApproval',
  message: 'nobody was asked about this, since it was not known in time; apply once more',
};

const GONE: Standing = { kind: 'settled', reason: 'Released', message: 'let go' };

/** The advice for a person who passed only the manifest of a Deployment. */
const GIVE_IT_AS_WELL = 'give its manifest with -f as well';

const UNDER_WAY: Standing = { kind: 'waiting', reason: 'Pending', message: 'under way' };

/** Reasons for a wait during which it is unknown whether a resource would create or delete something. */
const UNDECIDED: ReadonlySet<string> = new Set(['ConnectionNotReady', 'NotVisibleYet']);

/** Reasons of a failed connection whose end is unknown. The run waits only for a connection that was ready before. */
const UNREACHABLE: ReadonlySet<string> = new Set(['Unreachable', 'Timeout']);

/** The resources of one `apply`: the plan of each before a person agrees, and its progress afterwards. */
export class ApplyOversight implements Oversight {
  readonly holdUnprovenSecrets: boolean;
  readonly waitsForRotations = false;
  readonly looksBeforeWriting = (): boolean => this.#reviewed !== undefined && this.#mode !== 'asking';
  readonly gate: WriteGate = {
    holdsBack: (resource, operation, decision) => this.#holdsBack(resource, operation, decision),
  };
  readonly #of: Overseen;
  readonly #goal: Goal;
  readonly #keys: readonly Key[];
  readonly #passed = new Map<string, Passed>();
  readonly #heldBack = new Map<string, HeldWrite>();
  readonly #yes: boolean;
  readonly #hashes: Pick<KeyedHashes, 'digest'>;
  readonly #reviewed: ReviewedWrites | undefined;
  /** The checked connections, and whether any check found them ready. */
  readonly #connectionsSeen = new Map<string, boolean>();
  readonly #changed: () => void;
  #mode: 'asking' | 'as shown' | 'as shown, and patches' | 'anything goes' = 'asking';

  constructor(
    of: Overseen,
    about: {
      readonly goal: Goal;
      readonly yes: boolean;
      readonly sendSecrets: boolean;
      readonly hashes: Pick<KeyedHashes, 'digest'>;
      readonly reviewed?: ReviewedWrites | undefined;
    },
    changed: () => void,
  ) {
    this.#of = of;
    this.#goal = about.goal;
    this.#yes = about.yes;
    this.#hashes = about.hashes;
    this.#reviewed = about.reviewed;
    this.holdUnprovenSecrets = !about.sendSecrets;
    this.#changed = changed;
    this.#keys = of.list().map(keyOf);
  }

  onPass(key: Key, result: PassResult): void {
    const text = keyText(key);
    if (key.kind === DEPLOYMENT_KIND) {
      this.#passed.set(text, this.#endOf(text, result));
      this.#reviewed?.ended(key);
    } else {
      const connection = this.#of.listConnections().find((one) => keyText(keyOf(one)) === text);
      const ready = connection !== undefined && readyReason(connection) === 'Ok';
      this.#connectionsSeen.set(text, ready || this.#connectionsSeen.get(text) === true);
    }
    this.#changed();
  }

  /** Returns the writes to send when they are known for every resource; before that, undefined. */
  plan(): ApplyPlan | undefined {
    const standings = this.standings();
    if (!standings.every(({ key, standing }) => this.#isDecided(key, standing))) return undefined;
    const questions = this.#keys.flatMap((key) => {
      const held = this.#heldBack.get(keyText(key));
      return held === undefined ? [] : [{ key, operation: held.operation }];
    });
    const resources = new Map(this.#of.list().map((resource) => [keyText(keyOf(resource)), resource]));
    const planned = standings.map((one) => this.#planned(one, resources.get(keyText(one.key))));
    return { questions, resources: planned };
  }

  /**
   * Releases the held resources and returns the keys that waited for it. From now on, a resource may send the write
   * that was shown; if no person was asked, it may send any PATCH. A reviewed plan wakes its keys itself, in turn.
   */
  open(about: { readonly askedPerson: boolean }): readonly Key[] {
    this.#mode = this.#yes ? 'anything goes' : about.askedPerson ? 'as shown' : 'as shown, and patches';
    const waited = this.#keys.filter((key) => this.#passed.get(keyText(key)) === 'held back');
    for (const key of waited) this.#passed.set(keyText(key), 'postponed');
    if (this.#reviewed === undefined) return waited;
    this.#reviewed.begin(waited);
    return [];
  }

  /** Returns the progress of every resource, including deleted ones. */
  standings(): readonly ResourceStanding[] {
    const resources = new Map(this.#of.list().map((resource) => [keyText(keyOf(resource)), resource]));
    const connections = new Map(this.#of.listConnections().map((one) => [keyText(keyOf(one)), one]));
    return this.#keys.map((key) => {
      const resource = resources.get(keyText(key));
      if (resource === undefined) return { key, standing: GONE };
      const used = connectionReferences(resource).map((name) => connections.get(keyText(name)));
      return {
        key,
        standing: this.#standing(
          resource,
          used.find((one) => one !== undefined),
        ),
      };
    });
  }

  #standing(resource: DeploymentResource, connection: ConnectionResource | undefined): Standing {
    const standing = standingOf(resource, connection, this.#goal);
    const passed = this.#passed.get(keyText(keyOf(resource)));
    // The status dates from before this command, and may be outdated.
    if (passed !== 'recorded')
      return passed === 'failed' && standing.kind === 'waiting' ? standing : UNDER_WAY;
    if (standing.reason === 'ConnectionNotFound')
      return { ...standing, message: `${standing.message}; ${GIVE_IT_AS_WELL}` };
    const mayWaitForIt = standing.reason === 'ConnectionNotReady' || standing.reason === 'Deleting';
    if (!mayWaitForIt || connection === undefined) return standing;
    const neverReady = this.#connectionsSeen.get(keyText(keyOf(connection))) === false;
    const hopeless = neverReady && UNREACHABLE.has(readyReason(connection) ?? '');
    const told = { ...standing, message: whyUnusable(connection) ?? standing.message };
    return hopeless ? { ...told, kind: 'failed' } : told;
  }

  #endOf(text: string, result: PassResult): Passed {
    if (this.#mode === 'asking' && this.#heldBack.has(text)) return 'held back';
    if (result.kind !== 'answered' || result.requeue.kind === 'backoff') return 'failed';
    // A pass that runs again right away has not found anything worth recording yet.
    const comesBack = result.requeue.kind === 'after' && result.requeue.priority === 'user';
    return comesBack ? 'postponed' : 'recorded';
  }

  #holdsBack(
    resource: DeploymentResource,
    operation: WriteOperation,
    decision: ViewedDecision,
  ): HeldBack | undefined {
    const text = keyText(keyOf(resource));
    if (this.#mode === 'asking') {
      this.#heldBack.set(text, { operation, planned: plannedBy(resource, decision, this.#hashes) });
      return UNTIL_ANSWERED;
    }
    if (this.#reviewed !== undefined) {
      const { reviewed } = plannedBy(resource, decision, this.#hashes);
      return this.#reviewed.holdsBack(keyOf(resource), reviewed);
    }
    switch (this.#mode) {
      case 'anything goes':
        return undefined;
      case 'as shown':
      case 'as shown, and patches': {
        const needsNoAnswer = this.#mode === 'as shown, and patches' && operation === 'patch';
        const agreed = needsNoAnswer || this.#heldBack.get(text)?.operation === operation;
        return agreed || wasAnnounced(resource, operation) ? undefined : NOT_ASKED;
      }
    }
  }

  #isDecided(key: Key, { kind, reason }: Standing): boolean {
    const passed = this.#passed.get(keyText(key));
    // With a yes for everything, the plan does not wait for services that are currently unreachable.
    if (this.#yes) return passed !== undefined;
    if (passed === undefined || passed === 'failed') return false;
    return passed !== 'recorded' || kind !== 'waiting' || !UNDECIDED.has(reason);
  }

  #planned({ key, standing }: ResourceStanding, resource: DeploymentResource | undefined): PlannedResource {
    const held = this.#heldBack.get(keyText(key));
    return held?.planned ?? plannedAs(key, standing, resource);
  }
}

/** A write that is held back until the answer, and its view in the plan. */
interface HeldWrite {
  readonly operation: WriteOperation;
  readonly planned: PlannedResource;
}

function plannedBy(
  resource: DeploymentResource,
  decision: ViewedDecision,
  hashes: Pick<KeyedHashes, 'digest'>,
): PlannedResource {
  const { observation } = decision.situation;
  const { kind, namespace, name } = keyOf(resource);
  const deploymentID =
    observation.kind === 'present' ? observation.deployment.id : resource.status?.deploymentID;
  const reviewed = reviewedWrite({ namespace, name }, decision, hashes);
  return { kind, namespace, name, deploymentID, ...planView(decision.plan, decision, 'whole'), reviewed };
}

const ACTIONS = { waiting: 'Wait', held: 'Held', failed: 'Held' } as const;

/**
 * Returns the plan of a resource for which nothing is sent now. A pass of this command wrote the planned change into
 * the status.
 */
function plannedAs(
  { kind, namespace, name }: Key,
  { kind: how, reason, message }: Standing,
  resource: DeploymentResource | undefined,
): PlannedResource {
  const place = { kind, namespace, name, deploymentID: resource?.status?.deploymentID };
  const view = { ...place, sends: false, withheld: [], unknown: [] };
  if (how === 'settled') return { ...view, action: 'None', message: '', changes: [] };
  const told = { reason: reason as PlannedResource['reason'], message };
  const plan = how === 'waiting' ? undefined : resource?.status?.plan;
  const action = reason === 'AwaitingApproval' ? 'Approve' : ACTIONS[how];
  return { ...view, ...told, action, changes: plan?.changes.map(asChange) ?? [] };
}

/** Converts a change from a status, where a missing value means that there was none. */
function asChange({ path, from = '-', to = '-', revision }: StatusChange): Change {
  return { path, from, to, revision };
}

type StatusChange = NonNullable<NonNullable<DeploymentResource['status']>['plan']>['changes'][number];

/** True if an earlier run announced the write. That run had the agreement, and this run only finishes the write. */
function wasAnnounced({ status }: DeploymentResource, operation: WriteOperation): boolean {
  return status?.pendingWrite?.operation.toLowerCase() === operation;
}

function readyReason(connection: ConnectionResource): string | undefined {
  return readyOf(connection)?.reason;
}

/** Returns why a connection cannot be used; undefined if it was not checked, or has become ready meanwhile. */
function whyUnusable(connection: ConnectionResource): string | undefined {
  const ready = readyOf(connection);
  if (ready === undefined || ready.status === 'True') return undefined;
  return unusableConnectionText(connection, ready);
}

function readyOf({ status }: ConnectionResource) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
