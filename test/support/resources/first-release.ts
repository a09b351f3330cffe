import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';

const GOLDEN = join(import.meta.dirname, '..', '..', 'reconcile', 'golden');

/** A status as release 0.1.0 wrote it, and its situation. */
export interface OldStatus {
  readonly kind: 'Deployment' | 'Connection';
  readonly what: string;
  readonly status: Readonly<Record<string, unknown>>;
}

/**
 * Returns statuses of release 0.1.0, one for each form in its stories. Clusters contain such statuses, so this file is
 * never recorded again.
 */
export function statusesOfFirstRelease(): readonly OldStatus[] {
  return lines('statuses-0.1.0.jsonl') as readonly OldStatus[];
}

/**
 * A resource that release 0.1.0 left. `{id}`, `{tenant}` and `{revision}` are placeholders for the values of the
 * service.
 */
export interface OldResource {
  readonly what: string;
  readonly status: DeploymentStatus;
  readonly spec: Partial<DeploymentSpec>;
  /** The seconds from the start of its story until the release left it. */
  readonly afterSeconds: number;
}

/** Returns a resource of release 0.1.0 by its situation; throws if there is none. */
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
