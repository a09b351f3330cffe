import { isDeepStrictEqual } from 'node:util';
import { type ConnectionResource, isHeld } from '../../api/connection.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { readinessText } from '../../model/status/connection-status.ts';
import type { ChangeSource } from '../../ports/stores/change-source.ts';
import { type ClusterInformers, everyInformer } from './cluster-informers.ts';
import type { CacheChange } from '../watch/object-cache.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';

/** The sources that wake the controllers. */
export interface ClusterSources {
  /** Keys of Deployments whose own object changed, or whose Secrets, ConfigMaps or connection changed. */
  readonly deployments: ChangeSource;
  /** Keys of connections of both kinds that changed, or whose Secrets and ConfigMaps changed. */
  readonly connections: ChangeSource;
}

/**
 * Returns views over the informers that report only keys. If only some namespaces are watched, their labels decide
 * which ClusterConnections this process serves.
 */
export function changeSources(informers: ClusterInformers, watched: readonly string[]): ClusterSources {
  return {
    deployments: { start: (onChange, signal) => startDeployments(informers, onChange, signal) },
    connections: { start: (onChange, signal) => startConnections(informers, watched, { onChange, signal }) },
  };
}

type OnChange = (key: Key) => void;

async function startDeployments(
  informers: ClusterInformers,
  onChange: OnChange,
  signal: AbortSignal,
): Promise<void> {
  const { deployments, secrets, configMaps, connections, clusterConnections, namespaces } = informers;
  await allSynced(informers, signal);
  const wakeUsers = (index: 'dataObject' | 'connection') => (key: Key) => {
    for (const resource of deployments.byIndex(index, keyText(key))) onChange(keyOf(resource));
  };
  const wakeSelected = ({ name }: Key): void => {
    for (const resource of deployments.byIndex('selectedNamespace', name)) onChange(keyOf(resource));
  };
  endWith(signal, [
    namespaces.subscribe({ concerns: isRelabelled, onChange: wakeSelected }),
    deployments.subscribe({ concerns: isMeant, onChange }),
    secrets.subscribe({ onChange: wakeUsers('dataObject') }),
    configMaps.subscribe({ onChange: wakeUsers('dataObject') }),
    connections.subscribe({ concerns: mattersToUsers, onChange: wakeUsers('connection') }),
    clusterConnections.subscribe({ concerns: mattersToUsers, onChange: wakeUsers('connection') }),
  ]);
  for (const resource of deployments.list()) onChange(keyOf(resource));
}

async function startConnections(
  informers: ClusterInformers,
  watched: readonly string[],
  { onChange, signal }: { readonly onChange: OnChange; readonly signal: AbortSignal },
): Promise<void> {
  const { secrets, configMaps, connections, clusterConnections, namespaces } = informers;
  await allSynced(informers, signal);
  const wakeUsers = (key: Key): void => {
    for (const user of connections.byIndex('dataObject', keyText(key))) onChange(keyOf(user));
    for (const user of clusterConnections.byIndex('dataObject', keyText(key))) onChange(keyOf(user));
  };
  const wakeSelecting = ({ name }: Key): void => {
    if (!watched.includes(name)) return;
    for (const connection of clusterConnections.list()) onChange(keyOf(connection));
  };
  endWith(signal, [
    connections.subscribe({ concerns: mattersToController, onChange }),
    clusterConnections.subscribe({
      concerns: (change) => mattersToController(change) || (watched.length > 0 && isReleased(change)),
      onChange,
    }),
    secrets.subscribe({ onChange: wakeUsers }),
    configMaps.subscribe({ onChange: wakeUsers }),
    namespaces.subscribe({ concerns: isRelabelled, onChange: wakeSelecting }),
  ]);
  for (const connection of [...connections.list(), ...clusterConnections.list()]) onChange(keyOf(connection));
}

/**
 * Resolves when all caches are filled. No key is reported before: a pass that misses a Secret by a moment would say so
 * in the status.
 */
async function allSynced(informers: ClusterInformers, signal: AbortSignal): Promise<void> {
  await Promise.all(everyInformer(informers).map((informer) => informer.whenSynced(signal)));
}

function endWith(signal: AbortSignal, ends: readonly (() => void)[]): void {
  const end = (): void => ends.forEach((stop) => stop());
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
}

/** False for a change that our own writes make: of the status, of finalizers, and of nothing else. */
function isMeant({ before, after }: CacheChange<KubernetesObject>): boolean {
  if (before === undefined || after === undefined) return true;
  const [old, now] = [before.metadata, after.metadata];
  return (
    old.generation !== now.generation ||
    old.deletionTimestamp !== now.deletionTimestamp ||
    before.tooLarge !== after.tooLarge ||
    !isDeepStrictEqual(old.annotations, now.annotations) ||
    !isDeepStrictEqual(old.labels, now.labels)
  );
}

/** True if the labels of a namespace changed; other parts do not matter. */
function isRelabelled({ before, after }: CacheChange<KubernetesObject>): boolean {
  return !isDeepStrictEqual(before?.metadata.labels, after?.metadata.labels);
}

/**
 * True if a change of a connection matters to its controller. Its status names the shard that serves it, and other
 * controllers write it, too.
 */
function mattersToController(change: CacheChange<ConnectionResource>): boolean {
  return isMeant(change) || change.before?.status?.servedBy !== change.after?.status?.servedBy;
}

/** True if the finalizer is gone: a process that waited only for that gives its claim up. */
function isReleased({ before, after }: CacheChange<ConnectionResource>): boolean {
  return before !== undefined && isHeld(before) && after !== undefined && !isHeld(after);
}

/**
 * True if the spec or the verdict of a connection changed; other parts of its status do not matter to its
 * Deployments.
 */
function mattersToUsers(change: CacheChange<ConnectionResource>): boolean {
  return isMeant(change) || readinessText(change.before?.status) !== readinessText(change.after?.status);
}
