import { randomUUID } from 'node:crypto';
import { defined } from '../../src/base/defined.ts';
import type { ControlPlane } from '../../test/support/control-plane/control-plane.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import type { BenchContext } from './benchmark.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import type { Program } from './program.ts';
import { type ServiceProcess, startService } from './service-process.ts';

const API_VERSION = 'dms-operator.dev/v1alpha1';
const MERGE_PATCH = 'application/merge-patch+json';

/** The first state of a fleet. */
export interface FleetOptions {
  /** The number of resources in each namespace, and of deployments at the service. */
  readonly sizes: readonly number[];
  /** Members of the spec of the connection, beside the address. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** Switches of the simulated service, such as `rollout:10s`. */
  readonly semantics?: string;
  /** Returns the address that the operator uses, if it is not that of the service. */
  readonly through?: (url: string) => Promise<string>;
  /** The shard that the connection belongs to, and the controller serves; absent: there are no shards. */
  readonly shard?: string;
}

/** Allows so many calls that the benchmark does not measure the limit. */
export const GENEROUS = { requestsPerSecond: 200, burst: 400, concurrency: 20 };

/** One resource of a fleet, and the deployment of the same name. */
export interface Member {
  readonly namespace: string;
  readonly name: string;
}

/** Resources in a real cluster, one connection, and the deployments that they describe. */
export interface Fleet {
  readonly plane: ControlPlane;
  readonly service: ServiceProcess;
  /** The members by namespace, in the order of `sizes`. */
  readonly members: readonly (readonly Member[])[];
  /** Starts the controller, with flags for Node.js if given; stops a running one first. */
  run(nodeWords?: readonly string[]): Promise<OperatorProcess>;
  /** Asks for another image; the call ends when the API server has stored it. */
  edit(member: Member, tag: string): Promise<void>;
  editAll(members: readonly Member[], tag: string): Promise<void>;
  /** Adds a note that changes nothing at the service. */
  touch(member: Member, note: string): Promise<void>;
}

/** Measures on a fleet of which every resource is Ready, with a controller at work; whatever runs is stopped at the end. */
export async function withFleetAtRest<T>(
  context: BenchContext,
  options: FleetOptions,
  measure: (fleet: Fleet, operator: OperatorProcess) => Promise<T>,
): Promise<T> {
  const { fleet, end } = await openFleet(context, options);
  try {
    const operator = await fleet.run();
    await operator.allReady(fleet.members.flat().length);
    return await measure(fleet, operator);
  } finally {
    await end();
  }
}

/** The number of the last request at the service; `since` is that of an earlier one, where known. */
export async function lastRequest({ service }: Fleet, since = 0): Promise<number> {
  return (await service.requests(since)).at(-1)?.number ?? since;
}

interface Opened {
  readonly fleet: Fleet;
  readonly end: () => Promise<void>;
}

async function openFleet(context: BenchContext, options: FleetOptions): Promise<Opened> {
  const [plane, program] = [await context.plane(), await context.program()];
  await plane.installCRDs();
  const label = `bench-${randomUUID()}`;
  const namespaces: string[] = [];
  for (const _ of options.sizes) namespaces.push(await plane.createNamespace('bench', { team: label }));
  const members = options.sizes.map((size, at) => membersOf(namespaces[at] ?? '', size, at));
  context.progress(`${members.flat().length} deployments at the service, and as many resources`);
  // Ids repeat from service to service: with one tenant, those of another fleet would be the same deployments.
  const tenant = randomUUID();
  const service = await startService(program, {
    // A smoke run waits for no rollout.
    ...defined({ semantics: context.smoke ? 'rollout:instant' : options.semantics }),
    deployments: members.flat().map((member) => seedOf(member, tenant)),
  });
  const client = apiClient(plane);
  // In a smoke run the fleets share one API server, so each has its own connection.
  const reference = namespaces.length === 1 ? undefined : { kind: 'ClusterConnection', name: label };
  await client.each(members.flat(), (member) => declare(client, member, reference));
  const baseURL = (await options.through?.(service.url)) ?? service.url;
  // Each controller of a smoke run sees the connections of all fleets there, and must not claim those of another.
  const shard = options.shard ?? (context.smoke && reference !== undefined ? label : undefined);
  const labels = defined({ shard });
  await client.send(
    'POST',
    ...connectionOf({ namespaces, label, labels }, { baseURL, ...options.connection }),
  );
  return fleetOf({ context, plane, program, service, client, members, namespaces, shard });
}

interface Parts extends Pick<Fleet, 'plane' | 'service' | 'members'> {
  readonly context: BenchContext;
  readonly program: Program;
  readonly client: ApiClient;
  readonly namespaces: readonly string[];
  readonly shard: string | undefined;
}

function fleetOf({ context, plane, program, service, client, members, namespaces, shard }: Parts): Opened {
  let running: OperatorProcess | undefined;
  const patch = (member: Member, change: object): Promise<void> =>
    client.send('PATCH', `${pathOf(member.namespace)}/${member.name}`, change, MERGE_PATCH);
  const edit = (member: Member, tag: string): Promise<void> =>
    patch(member, { spec: { sourceRevisionConfig: { imageURI: imageOf(tag) } } });
  const start = (nodeWords: readonly string[]): OperatorProcess =>
    startOperator(program, plane, {
      operatorNamespace: namespaces[0] ?? '',
      nodeWords,
      ...defined({ shard }),
      // A smoke run shares its API server with what other benchmarks have left there.
      ...(context.smoke ? { namespaces } : {}),
    });
  const fleet: Fleet = {
    ...{ plane, service, members, edit },
    async run(nodeWords = []) {
      await running?.stop();
      return (running = start(nodeWords));
    },
    editAll: (edited, tag) => client.each(edited, (member) => edit(member, tag)),
    touch: (member, note) => patch(member, { metadata: { annotations: { note } } }),
  };
  const end = async (): Promise<void> => {
    await running?.stop();
    client.close();
    await service.stop();
  };
  return { fleet, end };
}

function membersOf(namespace: string, size: number, at: number): readonly Member[] {
  return Array.from({ length: size }, (_, index) => ({
    namespace,
    name: `agent-${at}-${String(index).padStart(5, '0')}`,
  }));
}

function seedOf({ name }: Member, tenant: string): object {
  return {
    name,
    tenant_id: tenant,
    source: 'external_container',
    source_config: { resource_spec: { cpu: 1, memory_mb: 1024, min_scale: 1, max_scale: 3 } },
    source_revision_config: { image_uri: imageOf('1') },
    secrets: { API_TOKEN: `token-of-${name}`, DATABASE_URL: `postgres://${name}.example.com/agents` },
  };
}

/**
 * Declares what the service shows, so that there is nothing to do, with managed fields as large as `kubectl apply`
 * makes them.
 */
async function declare(
  client: ApiClient,
  { namespace, name }: Member,
  connectionRef: object | undefined,
): Promise<void> {
  const spec = {
    ...defined({ connectionRef }),
    source: 'external_container',
    sourceConfig: { resourceSpec: { cpu: 1, memoryMB: 1024, minScale: 1, maxScale: 3 } },
    sourceRevisionConfig: { imageURI: imageOf('1') },
  };
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'bench' };
  const metadata = { name, namespace, labels };
  await client.send('POST', `${pathOf(namespace)}?fieldManager=bench`, {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata,
    spec,
  });
}

interface Connecting {
  readonly namespaces: readonly string[];
  /** Names a ClusterConnection, and marks the namespaces that it serves. */
  readonly label: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Makes a Connection in a single namespace, or a ClusterConnection for all of them. */
function connectionOf({ namespaces, label, labels }: Connecting, spec: object): [string, object] {
  const [namespace = ''] = namespaces;
  if (namespaces.length === 1) {
    const path = `/apis/${API_VERSION}/namespaces/${namespace}/connections`;
    return [
      path,
      { apiVersion: API_VERSION, kind: 'Connection', metadata: { name: 'default', labels }, spec },
    ];
  }
  const selecting = { ...spec, namespaceSelector: { matchLabels: { team: label } } };
  return [
    `/apis/${API_VERSION}/clusterconnections`,
    {
      apiVersion: API_VERSION,
      kind: 'ClusterConnection',
      metadata: { name: label, labels },
      spec: selecting,
    },
  ];
}

function pathOf(namespace: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/deployments`;
}

function imageOf(tag: string): string {
  return `registry.example.com/agent:${tag}`;
}
