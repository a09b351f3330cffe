import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { OperatorProcess } from '../worlds/operator-process.ts';
import type { ServedService } from '../worlds/served-service.ts';

/** The state of a controller and of an honest tenant during an attack. Times in milliseconds, memory in MiB. */
export interface Verdict {
  readonly edits: number;
  readonly slowestEditMs: number;
  readonly healthChecks: number;
  readonly slowestHealthMs: number;
  readonly peakMiB: number;
  /** True if the process had ended. */
  readonly ended: boolean;
}

/** The honest tenant: a namespace with one Deployment, and the service behind it. */
export interface Neighbour {
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly served: ServedService;
}

const EDIT_EVERY_MS = 1_000;
const HEALTH_EVERY_MS = 200;
/** Longer than every limit of a verdict, so that a slow answer is measured and not lost. */
const GIVE_UP_MS = 20_000;
const DEPLOYMENTS = '/apis/dms-operator.dev/v1alpha1/namespaces';

/** Observes the controller and edits as the neighbour until `stopped`, and at least once. */
export async function witness(
  operator: OperatorProcess,
  neighbour: Neighbour,
  stopped: AbortSignal,
): Promise<Verdict> {
  const [edits, healths, peaks] = await Promise.all([
    repeated(EDIT_EVERY_MS, stopped, () => editMs(neighbour)),
    repeated(HEALTH_EVERY_MS, stopped, () => healthMs(operator)),
    repeated(HEALTH_EVERY_MS, stopped, () => peakMiB(operator)),
  ]);
  return {
    edits: edits.length,
    slowestEditMs: Math.max(...edits),
    healthChecks: healths.length,
    slowestHealthMs: Math.max(...healths),
    peakMiB: Math.max(...peaks),
    ended: operator.exitCode !== null,
  };
}

async function repeated(
  everyMs: number,
  stopped: AbortSignal,
  measure: () => Promise<number>,
): Promise<readonly number[]> {
  const all: number[] = [];
  do {
    const nextMs = Date.now() + everyMs;
    all.push(await measure());
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextMs - Date.now())));
  } while (!stopped.aborted);
  return all;
}

let edits = 0;

/** Changes the image as the neighbour, and returns the time until the service had it. */
async function editMs({ plane, namespace, served }: Neighbour): Promise<number> {
  edits += 1;
  const imageURI = `registry.example.com/agent:edit-${edits}`;
  const startMs = Date.now();
  const patch = { spec: { sourceRevisionConfig: { imageURI } } };
  const path = `${DEPLOYMENTS}/${namespace}/deployments/agent`;
  const { status, text } = await plane.request('PATCH', path, patch, 'application/merge-patch+json');
  if (status !== 200) throw new Error(`the neighbour could not edit: ${status} ${text}`);
  while (served.service.deployment('agent')?.content.revisionConfig['image_uri'] !== imageURI) {
    if (Date.now() - startMs > GIVE_UP_MS) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return Date.now() - startMs;
}

/**
 * Resolves when the status has the outcome of the newest edit. A kill between a write and its record leaves an unknown
 * outcome, for which the next controller must wait, whether there is an attack or not.
 */
export async function untilRecorded({ plane, namespace }: Neighbour): Promise<void> {
  const path = `${DEPLOYMENTS}/${namespace}/deployments/agent`;
  const isRecorded = async (): Promise<boolean> => {
    const { metadata, status } = JSON.parse((await plane.request('GET', path)).text) as DeploymentResource;
    return status?.pendingWrite === undefined && status?.observedGeneration === metadata.generation;
  };
  await expect.poll(isRecorded, { timeout: GIVE_UP_MS }).toBe(true);
}

async function healthMs(operator: OperatorProcess): Promise<number> {
  const startMs = Date.now();
  const { port } = JSON.parse(await operator.said('metrics and health are served')) as { port: number };
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const isHealthy = await fetch(`http://127.0.0.1:${port}/healthz`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
  return isHealthy ? Date.now() - startMs : GIVE_UP_MS;
}

/** Returns the peak resident memory of the process, which includes peaks between two looks. */
async function peakMiB({ pid }: OperatorProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
