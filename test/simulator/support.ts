import type { SimulatedRequest } from '../../src/simulator/api/exchange.ts';
import { readSeed } from '../../src/simulator/server/read-seed.ts';
import type { SemanticsPatch } from '../../src/simulator/switches/semantics.ts';
import { parseSemantics } from '../../src/simulator/switches/parse-semantics.ts';
import { SimulatedService } from '../../src/simulator/server/simulated-service.ts';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';
import type { WireJson, WireObject } from '../../src/wire/wire-json.ts';

/** An answer with its parsed body, if that is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: WireJson;
  readonly delivery: string;
}

/** A service with a virtual clock, and shortcuts for requests. */
export class Bench {
  readonly clock = new VirtualClock();
  readonly service: SimulatedService;

  constructor(seed: unknown = {}, words = '') {
    this.service = new SimulatedService({ clock: this.clock, seed: readSeed(seed) });
    this.service.setSemantics(wordsOf(words));
  }

  /** Returns the id of a deployment. */
  id(name: string): string {
    const state = this.service.deployment(name);
    if (state === undefined) throw new Error(`there is no deployment ${name}`);
    return state.id;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  patch(name: string, body: WireJson): Promise<Answer> {
    return this.send('PATCH', `/v2/deployments/${this.id(name)}`, body);
  }

  async send(
    method: string,
    path: string,
    body?: WireJson,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const url = new URL(path, 'http://service.invalid');
    const request: SimulatedRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
    };
    const { status, headers: answered, body: text, delivery } = await this.service.handle(request);
    return { status, headers: answered, text, json: parsed(text), delivery };
  }

  /** Returns the deployment as the list currently shows it. */
  async listed(name: string): Promise<WireObject> {
    const item = (await this.list('limit=100')).find((resource) => resource['name'] === name);
    if (item === undefined) throw new Error(`the list does not show ${name}`);
    return item;
  }

  /** Returns the resources of one page. */
  async list(query = ''): Promise<readonly WireObject[]> {
    const { json } = await this.get(`/v2/deployments?${query}`);
    return (json as { readonly resources: readonly WireObject[] }).resources;
  }
}

/** Returns the switches for some words. Throws for a wrong word. */
export function wordsOf(words: string): SemanticsPatch {
  const result = parseSemantics(words);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.patch;
}

/** A seed with one deployment of each kind that most tests need. */
export const SEED = {
  deployments: [
    {
      name: 'agent',
      source: 'external_container',
      source_config: {
        resource_spec: { cpu: 1, memory_mb: 4096, queue_cpu: 4 },
        custom_url: 'https://a.example.com',
      },
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: { API_A: 'alpha-secret', API_B: 'bravo-secret' },
    },
    {
      name: 'site',
      source: 'codehost',
      source_config: { repo_url: 'https://codehost.example.com/acme/site', build_on_push: true },
      source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    },
  ],
};

function parsed(text: string): WireJson {
  try {
    return JSON.parse(text) as WireJson;
  } catch {
    return null;
  }
}
