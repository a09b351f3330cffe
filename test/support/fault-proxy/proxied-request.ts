/** A request that reached the proxy. */
export interface ProxiedRequest {
  /** The number of the request, from 1. */
  readonly number: number;
  readonly atMs: number;
  /** The number of the connection that carried the request, from 1. */
  readonly connection: number;
  readonly user: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly watch: boolean;
  /** Plural and subresource: `deployments`, `deployments/status`; the path if it names no resource. */
  readonly resource: string;
  /** The kind by which requests are counted: `list deployments`, `watch secrets`, `patch deployments/status`. */
  readonly kind: string;
}

/** Returns what method and address show of a request. */
export function requestKind(
  method: string,
  url: string,
): Pick<ProxiedRequest, 'watch' | 'resource' | 'kind'> {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const streams = searchParams.get('watch') === 'true' || searchParams.get('watch') === '1';
  // A watch that begins with all existing objects and ends after them counts as a list.
  const watch = streams && searchParams.get('sendInitialEvents') !== 'true';
  const parts =
    /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(
      pathname,
    );
  const [, plural = pathname, name, subresource] = parts ?? [];
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const read = watch ? 'watch' : name === undefined ? 'list' : 'get';
  return { watch, resource, kind: `${method === 'GET' ? read : method.toLowerCase()} ${resource}` };
}
