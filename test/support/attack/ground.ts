import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type CommandResult, type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { imageVariables, imageWords } from '../bundle/image-words.ts';
import { installedWorkloads, variablesOf, controllerOf } from '../installed/workloads.ts';
import { type OperatorProcess, startOperator } from '../worlds/operator-process.ts';
import { connectionTo, servedService } from '../worlds/served-service.ts';
import { sharedBundle } from '../bundle/shared-bundle.ts';
import type { Neighbour } from './witness.ts';

const OVERLAY = join(import.meta.dirname, '..', '..', '..', 'manifests', 'overlays', 'single-replica');
const HOME = 'dms-operator';
const ATTACKED = 'team-b';

/** The memory limit of the pod. */
export const LIMIT_MIB = 512;
/** The heap that Node.js gives itself in a container with that limit. */
const HEAP_WORDS = ['--max-old-space-size=256'];

/** The roles of people who may do harm, as they are granted in a namespace. `edit` of the cluster is written out. */
const ROLES = {
  editor: ['dms-operator-edit', 'system:aggregate-to-edit'],
  'connection author': ['dms-operator-edit', 'system:aggregate-to-edit', 'dms-operator-connection-admin'],
} as const;

/** The rights that an attacker has in one namespace. */
export type AttackerRole = keyof typeof ROLES;

/** A hostile tenant with rights in one namespace only. */
export interface Attacker {
  readonly namespace: string;
  /** Runs kubectl with its certificate, in its namespace. Never throws for an exit code. */
  kubectl(args: readonly string[], stdin?: string): Promise<CommandResult>;
  /** Creates an object in its namespace. Throws if the API server refuses. */
  create(object: unknown): Promise<void>;
}

/** A cluster with the shipped controller, an honest tenant, and an attacker. */
export interface Ground {
  readonly plane: ControlPlane;
  readonly attacker: Attacker;
  readonly neighbour: Neighbour;
  /** The newest controller. */
  operator(): OperatorProcess;
  /** Starts the controller as the shipped pod does, with the same account, arguments, command and heap. */
  start(): Promise<OperatorProcess>;
}

/** Prepares the ground, which lasts until the test ends, and waits until the neighbour is served. */
export async function attackGround(role: AttackerRole, runArgs: readonly string[] = []): Promise<Ground> {
  const [plane, program] = await Promise.all([startControlPlane(), sharedBundle()]);
  onTestFinished(() => plane.stop());
  const { code, stderr } = await plane.kubectl(['apply', '--server-side', '-k', OVERLAY]);
  if (code !== 0) throw new Error(stderr);
  await plane.installCRDs();
  const neighbour = await honestNeighbour(plane);
  const attacker = await attackerIn(plane, role);
  const [workload] = await installedWorkloads(plane, HOME);
  if (workload === undefined) throw new Error('no controller is installed');
  const kubeconfig = await plane.serviceAccountKubeconfig(
    HOME,
    workload.spec.template.spec.serviceAccountName,
  );
  const running: OperatorProcess[] = [];
  onTestFinished(async () => {
    for (const process of running) await process.kill();
  });
  const ground: Ground = {
    ...{ plane, attacker, neighbour },
    operator() {
      const last = running.at(-1);
      if (last === undefined) throw new Error('no controller was started');
      return last;
    },
    async start() {
      const env = {
        ...imageVariables(),
        DMS_OPERATOR_OPERATOR_NAMESPACE: HOME,
        DMS_OPERATOR_METRICS_ADDRESS: '127.0.0.1:0',
        KUBECONFIG: kubeconfig,
        ...variablesOf(workload, workload.metadata.name),
      };
      const args = [...controllerOf(workload).args, ...runArgs];
      const operator = startOperator(args, program, [...imageWords(), ...HEAP_WORDS], { env });
      running.push(operator);
      await operator.said('metrics and health are served');
      return operator;
    },
  };
  await ground.start();
  await untilServed(plane, neighbour.namespace);
  return ground;
}

async function honestNeighbour(plane: ControlPlane): Promise<Neighbour> {
  const namespace = 'team-z';
  const served = await servedService(
    [{ name: 'agent', revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
    { semantics: { rollout: { kind: 'after', seconds: 0 } } },
  );
  await plane.kubectl(['create', 'namespace', namespace]);
  const agent = {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: { name: 'agent', namespace },
    spec: {
      source: 'external_container',
      sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
    },
  };
  const stdin = [connectionTo(served.url, { namespace }), JSON.stringify(agent)].join('\n---\n');
  const { code, stderr } = await plane.kubectl(['apply', '-f', '-'], { stdin });
  if (code !== 0) throw new Error(stderr);
  return { plane, namespace, served };
}

/** Resolves when the Deployment of the neighbour is Ready. */
async function untilServed(plane: ControlPlane, namespace: string): Promise<void> {
  const args = ['wait', '-n', namespace, '--for=condition=Ready', 'dmsd/agent', '--timeout=60s'];
  const { code, stderr } = await plane.kubectl(args);
  if (code !== 0) throw new Error(`the neighbour is not served: ${stderr}`);
}

async function attackerIn(plane: ControlPlane, role: AttackerRole): Promise<Attacker> {
  const user = 'mallory';
  await plane.kubectl(['create', 'namespace', ATTACKED]);
  for (const name of ROLES[role]) {
    const words = [
      'create',
      'rolebinding',
      name.replace(':', '-'),
      `--clusterrole=${name}`,
      `--user=${user}`,
    ];
    const { code, stderr } = await plane.kubectl([...words, '-n', ATTACKED]);
    if (code !== 0) throw new Error(stderr);
  }
  const kubeconfigFile = await plane.userKubeconfig(user);
  const kubectl: Attacker['kubectl'] = (args, stdin) =>
    plane.kubectl(['-n', ATTACKED, ...args], { kubeconfigFile, ...(stdin === undefined ? {} : { stdin }) });
  const what = role === 'editor' ? 'dmsd' : 'dmsc';
  // A new binding takes effect in the API server a moment later.
  await expect.poll(async () => (await kubectl(['auth', 'can-i', 'create', what])).code).toBe(0);
  return {
    namespace: ATTACKED,
    kubectl,
    async create(object) {
      const { code, stderr } = await kubectl(['create', '-f', '-'], JSON.stringify(object));
      if (code !== 0) throw new Error(stderr.slice(0, 2_000));
    },
  };
}
