import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';

const GOLDEN = join(import.meta.dirname, '..', '..', 'reconcile', 'golden');

/** A status as release 0.1.0 wrote it, and the situation that it was written in. */
export interface OldStatus {
  readonly kind: 'Deployment' | 'Connection';
  readonly what: string;
  readonly status: Readonly<Record<string, unknown>>;
}

/**
 * Statuses of release 0.1.0, one for each shape that its stories came to. They are out there in clusters: the file is
 * never recorded anew.
 */
export function statusesOfFirstRelease(): readonly OldStatus[] {
  return lines('statuses-0.1.0.jsonl') as readonly OldStatus[];
}

/**
 * A resource that release 0.1.0 left behind. `{id}`, `{tenant}` and `{revision}` stand for what the
 * service shows of it.
 */
export interface OldResource {
  readonly what: string;
  readonly status: DeploymentStatus;
  readonly spec: Partial<DeploymentSpec>;
  /** How long after the beginning of its story it was left. */
  readonly afterSeconds: number;
}

/** A resource of release 0.1.0 by its situation; throws where there is none. */
export function resourceOfFirstRelease(what: string): OldResource {
  const found = (lines('resources-0.1.0.jsonl') as readonly OldResource[]).find((one) => one.what === what);
  if (found === undefined) throw new Error(`there is no resource of 0.1.0: ${what}`);
  return found;
}

function lines(file: string): readonly unknown[] {
  const text = readFileSync(join(GOLDEN, file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
