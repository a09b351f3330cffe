import type { SyncedReason } from '../../../src/api/condition.ts';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import type { SimulatedRequest } from '../../../src/simulator/api/exchange.ts';
import type { WireObject } from '../../../src/wire/wire-json.ts';
import { type Given, keyOf, World } from '../../reconcile/support/world.ts';
import { type Judged, judgedByOracle } from './oracle.ts';

/** The header by which the service of a story distinguishes tenants; a chronicle records it. */
export const TENANT_HEADER = 'X-Tenant';

const X = {
  name: 'x',
  sourceConfig: { custom_url: 'https://one.example.com', install_command: 'npm ci' },
  revisionConfig: { image_uri: 'r.example.com/agent:1' },
  secrets: [{ name: 'TOKEN', value: 'value-of-the-token' }],
} as const;

const TRUE = { status: 'True', message: '', lastTransitionTime: '2026-11-20T00:00:00.000Z' } as const;

/** The parts of a request, besides its method and path. */
interface Sent {
  readonly body?: WireObject;
  readonly tenant?: string | undefined;
  readonly query?: Record<string, string>;
}

/** A world without an operator. A story does to the service and to statuses what an operator must not do. */
export class Rogue {
  readonly world: World;

  constructor(given: Given = {}) {
    this.world = new World({ started: false, deployments: [X], ...given });
  }

  /** Declares a resource that is bound to the deployment of its name. */
  bind(spec: Partial<DeploymentSpec>, status: DeploymentStatus = {}): void {
    this.world.apply({ deploymentRef: { name: 'x' }, ...spec }, 'x');
    this.claim(status);
  }

  /** Writes a status as an operator would. */
  claim(status: DeploymentStatus): void {
    const binding = {
      connectionKind: 'Connection' as const,
      connectionName: 'default',
      endpoint: 'https://dms.example.com/api',
      reference: 'x',
      time: '2026-11-20T00:00:00.000Z',
    };
    this.world.store.overwriteStatus(keyOf('x'), {
      deploymentID: this.world.kept('x').id,
      binding,
      ...status,
    });
  }

  /** Claims that the service shows the values of a generation. */
  claimReady(observedGeneration: number): void {
    const conditions = (['Ready', 'Synced'] as const).map((type) => ({
      ...TRUE,
      type,
      reason: type === 'Ready' ? 'Active' : 'InSync',
      observedGeneration,
    }));
    this.claim({ observedGeneration, conditions });
  }

  /** Claims that a difference is reported and not corrected. */
  claimDrift(observedGeneration: number, reason: 'DriftReported' | 'Paused' = 'DriftReported'): void {
    const conditions = [
      { ...TRUE, type: 'Ready', reason: 'Active', observedGeneration },
      { ...TRUE, type: 'Synced', status: 'False', reason, observedGeneration },
    ] as const;
    this.claim({ observedGeneration, conditions });
  }

  /** Claims that the operator waits for what its last write shows. */
  claimSent(observedGeneration: number): void {
    const sent = { ...TRUE, status: 'Unknown', reason: 'Sent', observedGeneration } as const;
    const conditions = [
      { ...sent, type: 'Ready' },
      { ...sent, type: 'Synced' },
    ] as const;
    this.claim({ observedGeneration, conditions });
  }

  /** Claims a reason for a stop. */
  claimStop(reason: SyncedReason, message = '', lost: readonly string[] = []): void {
    const stopped = { ...TRUE, status: 'False', reason, message, observedGeneration: 1 } as const;
    this.claim({
      observedGeneration: 1,
      lost,
      conditions: [
        { ...stopped, type: 'Ready' },
        { ...stopped, type: 'Synced' },
      ],
    });
  }

  async patch(body: WireObject): Promise<void> {
    await this.#send('PATCH', `/v2/deployments/${this.world.kept('x').id}`, { body });
  }

  /** Creates a deployment, in the tenant of a header if one is given. */
  async create(name: string, tenant?: string): Promise<void> {
    const body = {
      name,
      source: 'external_container',
      source_config: {},
      source_revision_config: { image_uri: 'r.example.com/agent:1' },
      secrets: [],
    };
    await this.#send('POST', '/v2/deployments', { body, tenant });
  }

  async providers(): Promise<void> {
    await this.#send('GET', '/v2/auth/providers', {});
  }

  async list(tenant?: string): Promise<void> {
    await this.#send('GET', '/v2/deployments', { tenant });
  }

  /** Reads one page of the list; a pass over the list begins with offset 0. */
  async page(offset: number): Promise<void> {
    await this.#send('GET', '/v2/deployments', { query: { limit: '2', offset: String(offset) } });
  }

  judged(): Judged {
    return judgedByOracle(this.world.chronicle);
  }

  async #send(method: string, path: string, { body, tenant, query }: Sent): Promise<void> {
    const selects = tenant === undefined ? {} : { [TENANT_HEADER.toLowerCase()]: tenant };
    const request: SimulatedRequest = {
      method,
      path,
      query: new URLSearchParams(query),
      headers: { 'content-type': 'application/json', 'user-agent': 'dms-operator/test', ...selects },
      body: body === undefined ? '' : JSON.stringify(body),
    };
    await this.world.clock.runUntil(this.world.service.handle(request));
  }
}
