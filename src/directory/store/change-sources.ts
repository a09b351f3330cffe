import { isConnectionKey } from '../../api/connection.ts';
import { DEPLOYMENT_KIND } from '../../api/deployment.ts';
import { type Key, keyOf } from '../../api/metadata.ts';
import type { ChangeSource } from '../../ports/stores/change-source.ts';
import type { ChangeCause, DirectoryObjects } from './directory-objects.ts';

/** The sources that wake the controllers. */
export interface DirectorySources {
  /** Wakes for Deployment resources: their own changes, and those of their connections, Secrets and ConfigMaps. */
  readonly deployments: ChangeSource;
  /** Wakes for connections of both kinds: their own changes, and those of their Secrets and ConfigMaps. */
  readonly connections: ChangeSource;
}

/** Returns sources that emit the keys affected by a change of the manifests. */
export function changeSources(objects: DirectoryObjects): DirectorySources {
  return {
    deployments: sourceOf(
      objects,
      () => objects.deployments().map(keyOf),
      (key) => deploymentsOf(objects, key),
    ),
    connections: sourceOf(
      objects,
      () => objects.connections().map(keyOf),
      (key, cause) => (cause === 'manifest' ? connectionsOf(objects, key) : []),
    ),
  };
}

function sourceOf(
  objects: DirectoryObjects,
  existing: () => readonly Key[],
  affected: (key: Key, cause: ChangeCause) => readonly Key[],
): ChangeSource {
  return {
    async start(onChange, signal) {
      if (signal.aborted) return;
      const stop = objects.watch((key, cause) =>
        affected(key, cause).forEach((affectedKey) => onChange(affectedKey)),
      );
      signal.addEventListener('abort', stop, { once: true });
      existing().forEach((affectedKey) => onChange(affectedKey));
    },
  };
}

function deploymentsOf(objects: DirectoryObjects, key: Key): readonly Key[] {
  if (key.kind === DEPLOYMENT_KIND) return [key];
  if (isConnectionKey(key)) return objects.users(key);
  return objects.dependents(key).filter(({ kind }) => kind === DEPLOYMENT_KIND);
}

function connectionsOf(objects: DirectoryObjects, key: Key): readonly Key[] {
  if (isConnectionKey(key)) return [key];
  return key.kind === DEPLOYMENT_KIND ? [] : objects.dependents(key).filter(isConnectionKey);
}
