import { API_VERSION } from '../../../src/api/metadata.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { ApiResponse, ControlPlane } from '../control-plane/control-plane.ts';

const BUSY_MS = 1_000;
const MOST_TRIES = 20;

/** Actions of people in one namespace, directly at the API server. */
export class Cluster {
  readonly plane: ControlPlane;
  readonly namespace: string;

  constructor(plane: ControlPlane, namespace: string) {
    this.plane = plane;
    this.namespace = namespace;
  }

  /** Returns the path of our resources by plural, such as `deployments`. */
  ours(plural: string, name?: string): string {
    return at(`/apis/${API_VERSION}/namespaces/${this.namespace}/${plural}`, name);
  }

  /** Returns the path of objects of the core group by plural. */
  core(plural: string, name?: string): string {
    return at(`/api/v1/namespaces/${this.namespace}/${plural}`, name);
  }

  async create(path: string, manifest: object): Promise<void> {
    succeeded(await this.#request('POST', path, manifest));
  }

  /** Patches an object. Returns false if it no longer exists. */
  async patch(path: string, change: object): Promise<boolean> {
    return found(await this.#request('PATCH', path, change, 'application/merge-patch+json'));
  }

  /** Deletes an object. Returns false if it no longer exists. */
  async remove(path: string): Promise<boolean> {
    return found(await this.#request('DELETE', path));
  }

  async exists(path: string): Promise<boolean> {
    return found(await this.#request('GET', path));
  }

  async items<T = DeploymentResource>(path: string): Promise<readonly T[]> {
    return (succeeded(await this.#request('GET', path)).json as { items: readonly T[] }).items;
  }

  /** Repeats the request while the API server is busy, as after a change of a CRD. Returns the last answer. */
  async #request(...request: Parameters<ControlPlane['request']>): Promise<ApiResponse> {
    for (let tries = 1; ; tries += 1) {
      const response = await this.plane.request(...request);
      if (response.status !== 429 || tries === MOST_TRIES) return response;
      await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
    }
  }
}

function at(path: string, name: string | undefined): string {
  return name === undefined ? path : `${path}/${name}`;
}

function found(response: ApiResponse): boolean {
  if (response.status === 404) return false;
  succeeded(response);
  return true;
}

function succeeded(response: ApiResponse): ApiResponse {
  if (response.status >= 400) throw new Error(`the API server answered ${response.status}: ${response.text}`);
  return response;
}
