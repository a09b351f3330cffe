import {
  CLUSTER_CONNECTION_KIND,
  type ClusterConnectionSpec,
  type ConnectionResource,
} from '../../api/connection.ts';

/** The namespaces that a ClusterConnection serves, as a Kubernetes label selector. */
export type NamespaceSelector = NonNullable<ClusterConnectionSpec['namespaceSelector']>;

/** The known labels of a namespace. */
export interface KnownLabels {
  readonly labels: Readonly<Record<string, string>>;
  /** False if the namespace may have other labels, which could not be read. */
  readonly complete: boolean;
}

type Requirement = NonNullable<NamespaceSelector['matchExpressions']>[number];

/** The label that the API server gives to every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Returns the known labels of a namespace. If they could not be read (undefined), only its name is known. */
export function knownLabels(
  namespace: string,
  labels: Readonly<Record<string, string>> | undefined,
): KnownLabels {
  return { labels: { ...labels, [NAME_LABEL]: namespace }, complete: labels !== undefined };
}

/** True for a ClusterConnection whose resources may be in a namespace with these labels. */
export function servesNamespace(connection: ConnectionResource | undefined, known: KnownLabels): boolean {
  return connection?.kind === CLUSTER_CONNECTION_KIND && selects(connection.spec.namespaceSelector, known);
}

/**
 * True if a selector matches a namespace with these labels: an absent selector matches none, an empty one
 * all. If the result depends on an unreadable label, there is no match, even if the selector requires its
 * absence.
 */
export function selects(selector: NamespaceSelector | undefined, known: KnownLabels): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(known, key) === value) &&
    matchExpressions.every((requirement) => isMet(requirement, known))
  );
}

function isMet({ key, operator, values = [] }: Requirement, known: KnownLabels): boolean {
  const value = labelOf(known, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'NotIn':
      return value === undefined ? known.complete : !values.includes(value);
    case 'DoesNotExist':
      return value === undefined && known.complete;
  }
}

function labelOf({ labels }: KnownLabels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
