import type { WritePlan } from '../../model/status/announced-status.ts';
import { stableText } from '../../model/desired/canonical-text.ts';
import type { KeyedHashes } from '../../model/recorded/digests.ts';
import type { Json } from '../../base/json.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Situation } from '../../model/plan/situation.ts';
import { textForPeople } from '../../base/text-for-people.ts';

/** A reviewed write: its kind, its target, and a keyed digest of everything that it sends. */
export interface ReviewedWrite {
  readonly namespace: string;
  readonly name: string;
  readonly action: 'Create' | 'Update' | 'Delete';
  readonly deploymentID?: string;
  /** The address of the service. */
  readonly endpoint: string;
  /** The digest of the request, with the values of secrets, and of the changes in the form that the plan shows. */
  readonly digest: string;
}

/** A plan in the form that a file keeps until someone applies it. It contains no value of a secret. */
export interface SavedPlan {
  readonly formatVersion: 1;
  /** The release that made it; another release may decide differently. */
  readonly program: string;
  /** The id of the state's key that made the digests. It also identifies the folder. */
  readonly keyID: string;
  readonly writes: readonly ReviewedWrite[];
}

/** The number of bytes of a program's name that a message repeats. */
const PROGRAM_BYTES = 64;

const ACTIONS = { create: 'Create', patch: 'Update', delete: 'Delete' } as const;

/** Returns the write of a plan for a review; undefined if the plan sends nothing. */
export function reviewedWrite(
  place: Pick<ReviewedWrite, 'namespace' | 'name'>,
  { plan, situation }: { readonly plan: Plan; readonly situation: Pick<Situation, 'settings'> },
  hashes: Pick<KeyedHashes, 'digest'>,
): ReviewedWrite | undefined {
  if (plan.kind !== 'create' && plan.kind !== 'patch' && plan.kind !== 'delete') return undefined;
  const { namespace, name } = place;
  const { baseURL: endpoint } = situation.settings;
  const about = {
    ...{ namespace, name, action: ACTIONS[plan.kind], endpoint },
    ...(plan.kind === 'create' ? {} : { deploymentID: plan.id }),
  };
  const content = stableText([about, requestOf(plan, hashes), changesOf(plan)]);
  return { ...about, digest: hashes.digest(content) };
}

function requestOf(plan: WritePlan, hashes: Pick<KeyedHashes, 'digest'>): Json {
  if (plan.kind === 'delete') return null;
  const { secrets, ...rest } = plan.body;
  const hidden = secrets?.map(({ name, value }) => [name, hashes.digest(`saved secret\n${value.reveal()}`)]);
  // Without its secrets a body is JSON, but the compiler cannot see that from an interface without an index signature.
  return [rest as unknown as Json, hidden ?? null];
}

function changesOf(plan: WritePlan): Json {
  return plan.kind === 'patch' ? plan.changes.map(({ path, from, to }) => [path, from, to]) : null;
}

/** Returns the text of the file: the plan, and a keyed digest of it that reveals manual changes. */
export function savedPlanText(plan: SavedPlan, hashes: Pick<KeyedHashes, 'digest'>): string {
  return `${JSON.stringify({ ...plan, seal: sealOf(plan, hashes) }, undefined, 2)}\n`;
}

function sealOf(plan: SavedPlan, hashes: Pick<KeyedHashes, 'digest'>): string {
  return hashes.digest(`saved plan\n${stableText(plan as unknown as Json)}`);
}

/** Reads a plan from the text of a file; returns the reason if it may not be applied. */
export function readSavedPlan(
  text: string,
  program: string,
  hashes: Pick<KeyedHashes, 'digest' | 'keyID'>,
): SavedPlan | { readonly why: string } {
  const found = parsed(text);
  if (found === undefined) return { why: 'it is no plan that was saved by plan --out' };
  const { seal, ...plan } = found;
  if (plan.formatVersion !== 1) return { why: 'its format belongs to another release; plan again' };
  if (plan.program !== program) {
    return {
      why: `${textForPeople(plan.program, PROGRAM_BYTES)} made it, and this is ${program}; plan again with this release`,
    };
  }
  if (plan.keyID !== hashes.keyID)
    return { why: 'it was made for another folder or with another state; plan again' };
  if (seal !== sealOf(plan, hashes)) return { why: 'it was changed after it was saved; plan again' };
  return plan;
}

type Sealed = SavedPlan & { readonly seal?: unknown };

/** True if a value is a saved plan. Checks only the version and the seal of another format version. */
function isSavedPlan(value: unknown): value is Sealed {
  if (typeof value !== 'object' || value === null || !('formatVersion' in value && 'seal' in value))
    return false;
  if (value.formatVersion !== 1) return true;
  return (
    'program' in value &&
    typeof value.program === 'string' &&
    'writes' in value &&
    Array.isArray(value.writes)
  );
}

function parsed(text: string): Sealed | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isSavedPlan(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the namespace and name of a resource, as the lines about a plan show them. */
export function placeOf({ namespace, name }: Pick<ReviewedWrite, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** Returns the differences from the reviewed plan, one line each; empty if there are none. */
export function changedSince(reviewed: SavedPlan, now: readonly ReviewedWrite[]): readonly string[] {
  const before = new Map(reviewed.writes.map((write) => [placeOf(write), write]));
  const after = new Map(now.map((write) => [placeOf(write), write]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const why = differenceOf(before.get(name), after.get(name));
    return why === undefined ? [] : [`${name}: ${why}`];
  });
}

/** Returns why a write of a resource differs from the reviewed one; undefined if it does not. */
export function differenceOf(
  was: ReviewedWrite | undefined,
  is: ReviewedWrite | undefined,
): string | undefined {
  if (was === undefined) return is && 'something would be sent, and nothing was when the plan was made';
  if (is === undefined)
    return 'nothing would be sent any more, or it is held; where plan had --prune or --send-secrets, apply needs it as well';
  if (was.endpoint !== is.endpoint) return `its connection leads to ${is.endpoint} now`;
  if (was.deploymentID !== is.deploymentID || was.action !== is.action)
    return `it was to ${was.action.toLowerCase()} ${was.deploymentID ?? 'a deployment'}, and no longer is`;
  return was.digest === is.digest ? undefined : 'what would be sent, or what the service shows, has changed';
}
