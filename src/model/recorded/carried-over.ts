import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { digestsFor, type Digests, isUnbound, isUnboundLabel, type KeyedHashes } from './digests.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { nameMark } from './baseline.ts';

type Stored<Part extends keyof DeploymentStatus> = NonNullable<DeploymentStatus[Part]>;

/**
 * Returns a resource with digests in today's form if release 0.1.0 wrote its status, or the resource itself if nothing
 * needs to change. Release 0.1.0 stored the first of today's two steps, so this needs no secret value and loses no
 * record of sent values. Digests of another key stay unchanged.
 */
export function carriedOver(resource: DeploymentResource, hashes: KeyedHashes): DeploymentResource {
  const { status } = resource;
  if (status === undefined) return resource;
  const digests = digestsFor(resource, hashes);
  const { applied, pendingWrite, lastPatch, budget, warningsTold } = status;
  const carried = {
    ...(applied !== undefined && isUnboundLabel(applied.key, hashes)
      ? { applied: appliedIn(applied, digests) }
      : {}),
    ...(pendingWrite !== undefined && isUnbound(pendingWrite.bodyDigest)
      ? { pendingWrite: announcedIn(pendingWrite, digests) }
      : {}),
    ...(lastPatch !== undefined && isUnbound(lastPatch.refusal?.basis ?? '')
      ? { lastPatch: refusedIn(lastPatch, digests) }
      : {}),
    ...(budget?.same?.some(({ digest }) => isUnbound(digest)) === true
      ? { budget: countedIn(budget, digests) }
      : {}),
    ...(warningsTold !== undefined && isUnbound(warningsTold)
      ? { warningsTold: digests.bind('warnings', '', warningsTold) }
      : {}),
  };
  return Object.keys(carried).length === 0 ? resource : { ...resource, status: { ...status, ...carried } };
}

function appliedIn(applied: Stored<'applied'>, digests: Digests): Stored<'applied'> {
  const { fields, secrets } = applied;
  return {
    ...applied,
    key: digests.keyID,
    fields: fields.map(({ path, a, b, was }) => ({
      path,
      a: ofField(path, a, digests),
      ...(b === undefined
        ? {}
        : { b: path === SECRETS_PATH ? digests.bind('names', path, b) : ofField(path, b, digests) }),
      ...(was === undefined ? {} : { was: ofField(path, was, digests) }),
    })),
    ...(secrets === undefined
      ? {}
      : {
          secrets: Object.fromEntries(
            Object.entries(secrets).map(([name, digest]) => [
              name,
              digest === '' ? '' : digests.bind('secret', nameMark(name, digests), digest),
            ]),
          ),
        }),
  };
}

/** Returns the digest of a field; '' means an unknown value. */
function ofField(path: string, digest: string, digests: Digests): string {
  return digest === '' ? '' : digests.bind('field', path, digest);
}

function announcedIn(pending: Stored<'pendingWrite'>, digests: Digests): Stored<'pendingWrite'> {
  return { ...pending, bodyDigest: digests.bind('request', '', pending.bodyDigest) };
}

function refusedIn(lastPatch: Stored<'lastPatch'>, digests: Digests): Stored<'lastPatch'> {
  const { refusal } = lastPatch;
  if (refusal === undefined) return lastPatch;
  return { ...lastPatch, refusal: { ...refusal, basis: digests.bind('refusal', '', refusal.basis) } };
}

function countedIn(budget: Stored<'budget'>, digests: Digests): Stored<'budget'> {
  const same = (budget.same ?? []).map((entry) => {
    const { path, digest, refused } = entry;
    if (!isUnbound(digest)) return entry;
    return { ...entry, digest: digests.bind(refused === true ? 'refused value' : 'field', path, digest) };
  });
  return { ...budget, same };
}
