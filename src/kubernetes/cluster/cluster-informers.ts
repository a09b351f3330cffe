import {
  CLUSTER_CONNECTION_KIND,
  type ClusterConnection,
  type ConnectionResource,
  type NamespacedConnection,
} from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import {
  connectionReferences,
  dataReferences,
  deploymentIDs,
} from '../../model/connection/data-references.ts';
import {
  asClusterConnection,
  asConnection,
  asDeployment,
  asNameAndLabels,
  asNameAndVersion,
} from '../objects/decoders.ts';
import { Informer, type InformerEnvironment, type InformerOptions } from '../watch/informer.ts';
import { NamespaceBytes } from '../objects/namespace-bytes.ts';
import type { ReflectorTuning } from '../watch/reflector-state.ts';
import { Semaphore } from '../client/semaphore.ts';
import {
  CLUSTER_CONNECTIONS,
  CONFIG_MAPS,
  CONNECTIONS,
  DEPLOYMENTS,
  type KubernetesObject,
  NAMESPACES,
  SECRETS,
} from '../objects/resource-type.ts';
import { keyText } from '../../api/metadata.ts';
import { occupiedNames } from '../../model/desired/desired-deployment.ts';

/**
 * Indexes over deployment resources: by id and name at the service, by connection, by Secret or ConfigMap, and by
 * namespace for those that may need a ClusterConnection to select the namespace.
 */
export type DeploymentIndex = 'deploymentID' | 'name' | 'connection' | 'dataObject' | 'selectedNamespace';

/** The informers for all objects that the controllers watch. */
export interface ClusterInformers {
  readonly deployments: Informer<DeploymentResource, DeploymentIndex>;
  readonly connections: Informer<NamespacedConnection, 'dataObject'>;
  readonly clusterConnections: Informer<ClusterConnection, 'dataObject'>;
  /** Names and versions only: values never reach this process. */
  readonly secrets: Informer<KubernetesObject>;
  readonly configMaps: Informer<KubernetesObject>;
  /** Names and labels only. */
  readonly namespaces: Informer<KubernetesObject>;
}

/** Returns all informers with a common type, for actions on all of them. */
export function everyInformer(
  informers: ClusterInformers,
): readonly Pick<Informer<KubernetesObject>, 'type' | 'start' | 'whenSynced' | 'ended' | 'lastAliveMs'>[] {
  const { deployments, connections, clusterConnections, secrets, configMaps, namespaces } = informers;
  return [deployments, connections, clusterConnections, secrets, configMaps, namespaces];
}

/** The kinds and namespaces to watch. */
export interface InformerScope {
  /** Empty: the whole cluster. Otherwise only these namespaces, with rights only in them. */
  readonly namespaces: readonly string[];
  /** The namespace of the Secrets of ClusterConnections. */
  readonly operatorNamespace: string;
  readonly tuning?: Partial<ReflectorTuning> | undefined;
  /** The largest size to which the heap of this process may grow. */
  readonly heapBytes: number;
}

/**
 * The number of namespaces that would fill the heap if each took its whole share; one alone leaves most of the heap to
 * the others.
 */
const NAMESPACES_THAT_FIT = 4;

/**
 * The number of lists in progress at once, over all kinds and namespaces. After a restart of the API server all of them
 * are due together; they would hold every object twice, and the connections that writes need.
 */
const LISTS_AT_ONCE = 4;

/** Makes the informers; nothing is read before they are started. */
export function clusterInformers(
  scope: InformerScope,
  shared: Omit<InformerEnvironment, 'lists' | 'kept'>,
): ClusterInformers {
  const kept = new NamespaceBytes(Math.floor(scope.heapBytes / NAMESPACES_THAT_FIT));
  const environment: InformerEnvironment = { ...shared, lists: new Semaphore(LISTS_AT_ONCE), kept };
  const namespaces = scope.namespaces.length === 0 ? [''] : scope.namespaces;
  const informer = <T extends KubernetesObject, Index extends string = never>(
    watched: Watched<T, Index>,
  ): Informer<T, Index> => new Informer({ namespaces, tuning: scope.tuning ?? {}, ...watched }, environment);
  return {
    deployments: informer({ type: DEPLOYMENTS, decode: asDeployment, indexers: DEPLOYMENT_INDEXERS }),
    connections: informer({
      type: CONNECTIONS,
      decode: asConnection,
      indexers: { dataObject: (object) => dataObjectTexts(object, object.metadata.namespace ?? '') },
    }),
    clusterConnections: informer({
      ...wholeCluster(scope),
      type: CLUSTER_CONNECTIONS,
      decode: asClusterConnection,
      indexers: { dataObject: (object) => dataObjectTexts(object, scope.operatorNamespace) },
    }),
    secrets: informer({ ...dataObjects(scope), type: SECRETS }),
    configMaps: informer({ ...dataObjects(scope), type: CONFIG_MAPS }),
    namespaces: informer({
      ...wholeCluster(scope),
      type: NAMESPACES,
      metadataOnly: true,
      decode: asNameAndLabels,
      indexers: {},
    }),
  };
}

/** A kind, the form in which its objects are kept, and its special settings. */
type Watched<T extends KubernetesObject, Index extends string> = Pick<
  InformerOptions<T, Index>,
  'type' | 'decode' | 'indexers'
> &
  Partial<InformerOptions<T, Index>>;

const DEPLOYMENT_INDEXERS = {
  deploymentID: deploymentIDs,
  name: occupiedNames,
  connection: deploymentConnections,
  dataObject: deploymentDataObjects,
  selectedNamespace,
};

/** The namespaces that an informer watches, and those in which the API server may refuse it. */
type Coverage = Pick<
  InformerOptions<KubernetesObject, never>,
  'namespaces' | 'emptyWhenForbidden' | 'refusedIn'
>;

/** Returns the coverage for objects of the cluster; with rights in some namespaces only, they count as nonexistent. */
function wholeCluster({ namespaces }: InformerScope): Coverage {
  const everything = namespaces.length === 0;
  return { namespaces: [''], emptyWhenForbidden: !everything, refusedIn: everything ? [] : [''] };
}

/** Returns the informer options for names and versions of Secrets or ConfigMaps. */
function dataObjects({
  namespaces,
  operatorNamespace,
}: InformerScope): Omit<InformerOptions<KubernetesObject, never>, 'type'> {
  const everything = namespaces.length === 0;
  return {
    namespaces: everything ? [''] : [...namespaces, operatorNamespace],
    metadataOnly: true,
    emptyWhenForbidden: !everything,
    // The rights may be missing outside the given namespaces; inside them the operator needs all of its rights.
    refusedIn: everything || namespaces.includes(operatorNamespace) ? [] : [operatorNamespace],
    decode: asNameAndVersion,
    indexers: {},
  };
}

/** Returns the Secrets and ConfigMaps from which a deployment resource takes values, as key texts. */
function deploymentDataObjects(resource: DeploymentResource): readonly string[] {
  return dataObjectTexts(resource, resource.metadata.namespace ?? '');
}

/** Returns the connections that a deployment resource uses, or would use if they existed, as key texts. */
function deploymentConnections(resource: DeploymentResource): readonly string[] {
  return connectionReferences(resource).map(keyText);
}

/** Returns the namespace of a deployment resource if a ClusterConnection may have to select it. */
function selectedNamespace(resource: DeploymentResource): readonly string[] {
  const ofCluster = connectionReferences(resource).some(({ kind }) => kind === CLUSTER_CONNECTION_KIND);
  return ofCluster ? [resource.metadata.namespace ?? ''] : [];
}

/** Returns the Secrets and ConfigMaps in a namespace from which a resource takes values, as key texts. */
function dataObjectTexts(
  resource: DeploymentResource | ConnectionResource,
  namespace: string,
): readonly string[] {
  const texts: string[] = [];
  for (const { kind, name } of dataReferences(resource)) {
    const text = keyText({ kind, namespace, name });
    if (!texts.includes(text)) texts.push(text);
  }
  return texts;
}
