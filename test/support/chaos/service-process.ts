import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { DeploymentState } from '../../../src/simulator/state/deployment-state.ts';
import type {
  ConnectionCounts,
  LoggedRequest,
  ProtocolViolation,
} from '../../../src/simulator/api/request-log.ts';
import type { PlannedFault } from '../../../src/simulator/faults/scenario.ts';
import type { WireJson, WireObject } from '../../../src/wire/wire-json.ts';
import { type OperatorProcess, startOperator } from '../worlds/operator-process.ts';

/** The contents of a service, and its problems with requests. */
export interface ServiceState {
  readonly deployments: readonly DeploymentState[];
  readonly violations: readonly ProtocolViolation[];
  readonly connections: ConnectionCounts;
}

/** A simulated service in a separate process, which tests read and control through its control endpoint. */
export class ServiceProcess {
  readonly url: string;
  readonly #process: OperatorProcess;
  readonly #requests = new Map<number, LoggedRequest>();

  private constructor(process: OperatorProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  /** Starts one from a bundle, with a seed as in docs/simulator.md. */
  static async start(main: string, folder: string, seed: WireObject): Promise<ServiceProcess> {
    const file = join(folder, 'seed.json');
    await writeFile(file, JSON.stringify(seed));
    const process = startOperator(['simulate', '--port', '0', '--seed', file], main);
    const [url = ''] = /http:\S+/.exec(await process.said('simulated service at')) ?? [];
    return new ServiceProcess(process, url);
  }

  /** Every request so far, oldest first. Call `refresh` for newer ones. */
  get requests(): readonly LoggedRequest[] {
    return [...this.#requests.values()];
  }

  /** Reads new requests, and the outcome of those that were running. */
  async refresh(): Promise<void> {
    const open = this.requests.filter((request) => request.endedMs === undefined || isLate(request));
    const last = Math.max(0, ...this.#requests.keys());
    const since = Math.min(last, ...open.map(({ number }) => number - 1));
    const newer = (await this.#ask('GET', `requests?since=${since}`)) as readonly LoggedRequest[];
    for (const request of newer) this.#requests.set(request.number, request);
  }

  async state(): Promise<ServiceState> {
    return (await this.#ask('GET', 'state')) as ServiceState;
  }

  /** Changes a value as a person would. */
  async edit(name: string, path: string, value: WireJson): Promise<void> {
    await this.#ask('POST', 'edit', { name, path, value });
  }

  async plan(fault: PlannedFault): Promise<void> {
    await this.#ask('POST', 'faults', fault);
  }

  async clearPlans(): Promise<void> {
    await this.#ask('DELETE', 'faults');
  }

  async stop(): Promise<void> {
    await this.#process.kill();
  }

  async #ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const how = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await fetch(new URL(`/_simulator/${path}`, this.url), how);
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  }
}

/** True if the service reported a failure and may still carry the request out. */
function isLate({ faults, dealtMs }: LoggedRequest): boolean {
  return faults.includes('fail-then-apply-late') && dealtMs === undefined;
}
