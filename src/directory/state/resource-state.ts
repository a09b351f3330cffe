import { defined } from '../../base/defined.ts';
import { ANNOTATIONS, DEPLOYMENT_KIND, type DeploymentResource, FINALIZER } from '../../api/deployment.ts';
import type { ConnectionResource } from '../../api/connection.ts';
import { API_VERSION, type Key, type ObjectMeta } from '../../api/metadata.ts';
import type { Digester } from '../../ports/process/digester.ts';
import { type Content, hashOf, hashOfToday, keyIDOf, type OwnContent } from '../manifests/hash-of.ts';
import type { ResourceState, RetainedManifest } from './state-content.ts';

/** Returns the first state of a resource. */
export function newState(own: OwnContent, digester: Digester, nowMs: number): ResourceState {
  return {
    uid: own.uid,
    generation: 1,
    specHash: hashOf(own, digester),
    resourceVersion: 1,
    creationTimestamp: timeText(nowMs),
    claimed: false,
  };
}

/**
 * Returns the state after the resource was read with this content. A change of the spec increases the generation. After
 * the digest key is lost, no change can be detected, so the spec counts as unchanged. A manifest that came back ends a
 * pending deletion.
 */
export function afterReading(state: ResourceState, content: Content, digester: Digester): ResourceState {
  const { deletionTimestamp, ...kept } = state;
  const own = { content, uid: state.uid };
  const before = hashOfToday(state.specHash, own, digester);
  const hash = hashOf(own, digester);
  const sameKey = keyIDOf(hash) === keyIDOf(before);
  const moved = deletionTimestamp !== undefined || (sameKey && hash !== before);
  if (!moved) return hash === state.specHash ? state : { ...state, specHash: hash };
  return nextVersion({ ...kept, specHash: hash, generation: state.generation + 1 });
}

/**
 * Returns the state of a claimed resource after its manifest was removed. As with an API server, its generation
 * increases.
 */
export function markedDeleted(state: ResourceState, nowMs: number): ResourceState {
  if (state.deletionTimestamp !== undefined) return state;
  return nextVersion({ ...state, generation: state.generation + 1, deletionTimestamp: timeText(nowMs) });
}

/** Returns the same state with the next resource version. */
export function nextVersion(state: ResourceState): ResourceState {
  return { ...state, resourceVersion: state.resourceVersion + 1 };
}

/** Returns a resource of our kinds as an API server would show it. */
export function shown<T extends DeploymentResource | ConnectionResource>(
  declared: T,
  state: ResourceState,
): T {
  const metadata: ObjectMeta = {
    ...declared.metadata,
    uid: state.uid,
    resourceVersion: String(state.resourceVersion),
    generation: state.generation,
    creationTimestamp: state.creationTimestamp,
    ...defined({ deletionTimestamp: state.deletionTimestamp }),
    ...(state.claimed ? { finalizers: [FINALIZER] } : {}),
  };
  return { ...declared, metadata, ...defined({ status: state.status }) };
}

/**
 * Returns the part of a manifest that must outlive it, so that its deletion can finish after a restart. Contains no
 * secrets.
 */
export function retainedOf({ metadata, spec }: DeploymentResource): RetainedManifest {
  const { source, connectionRef, deploymentRef, deletionPolicy, managementPolicy } = spec;
  const ours: readonly string[] = Object.values(ANNOTATIONS);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => ours.includes(name));
  return {
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    spec: {
      source,
      ...defined({ connectionRef, deploymentRef, deletionPolicy, managementPolicy }),
    },
  };
}

/** Returns a claimed resource whose manifest was removed. */
export function fromRetained(
  { namespace, name }: Key,
  { annotations, spec }: RetainedManifest,
): DeploymentResource {
  const metadata = { name, namespace, ...defined({ annotations }) };
  return { apiVersion: API_VERSION, kind: DEPLOYMENT_KIND, metadata, spec };
}

/** Formats a time in RFC 3339, to the second, as Kubernetes writes it. */
function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
