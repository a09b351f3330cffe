import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ANNOTATIONS, type DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION, type ObjectMeta } from '../../../src/api/metadata.ts';
import { withFileLock } from '../programs/file-lock.ts';

/**
 * Every status that a story ever wrote, one per line, with the parts by which tools judge: metadata and conditions.
 * Tests run the script of Argo CD and kstatus on each of them (test/gitops).
 */
const FILE = join(import.meta.dirname, '..', '..', 'reconcile', 'golden', 'statuses.txt');

/** True if the variable asks to record new statuses instead of refusing them. */
const RECORDS = process.env['RECORD_STATUSES'] !== undefined;

const GENERATION = 7;
const DELETED = '2026-11-20T10:00:00.000Z';

type Written = Pick<DeploymentResource, 'metadata' | 'status'>;

/** Passes if the file contains every one of these statuses, so that tools were tested with them. */
export async function expectRecorded(statuses: readonly Written[]): Promise<void> {
  const known = new Set(recordedLines());
  const fresh = [...new Set(statuses.map(lineOf))].filter((line) => !known.has(line));
  if (RECORDS && fresh.length > 0) await record(fresh);
  else
    expect(fresh, 'statuses that no file records; RECORD_STATUSES=1 npm test -- test/reconcile').toEqual([]);
}

/** Returns a resource for each line of the file. */
export function recordedResources(): readonly {
  readonly line: string;
  readonly resource: DeploymentResource;
}[] {
  return recordedLines().map((line) => ({ line, resource: resourceOf(line) }));
}

function recordedLines(): readonly string[] {
  if (!existsSync(FILE)) return [];
  return readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Writes lines to the file under a lock, because stories run in several processes. */
function record(lines: readonly string[]): Promise<void> {
  return withFileLock(
    `${FILE}.lock`,
    () => undefined,
    async () => {
      const all = new Set([...recordedLines(), ...lines]);
      writeFileSync(FILE, `${[...all].toSorted().join('\n')}\n`);
    },
  );
}

function lineOf({ metadata, status }: Written): string {
  const conditions = status?.conditions ?? [];
  return [
    ...conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`),
    ...((status?.observedGeneration ?? -1) < (metadata.generation ?? 0) ? ['behind'] : []),
    ...(metadata.deletionTimestamp === undefined ? [] : ['deleted']),
    ...(metadata.annotations?.[ANNOTATIONS.paused] === 'true' ? ['paused'] : []),
  ].join(' ');
}

function resourceOf(line: string): DeploymentResource {
  const words = new Set(line.split(' '));
  const observedGeneration = words.has('behind') ? GENERATION - 1 : GENERATION;
  const metadata: ObjectMeta = {
    ...{ name: 'support-agent', namespace: 'team-a', generation: GENERATION },
    ...(words.has('deleted') ? { deletionTimestamp: DELETED } : {}),
    ...(words.has('paused') ? { annotations: { [ANNOTATIONS.paused]: 'true' } } : {}),
  };
  const conditions = [...words].flatMap((word) => {
    const { type, status, reason } = /^(?<type>\w+)=(?<status>\w+)\/(?<reason>\w+)$/.exec(word)?.groups ?? {};
    const times = { lastTransitionTime: DELETED, observedGeneration };
    return type === undefined ? [] : [{ type, status, reason, message: `told of ${reason}`, ...times }];
  }) as NonNullable<NonNullable<DeploymentResource['status']>['conditions']>;
  const spec = { source: 'external_container' } as const;
  return {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata,
    spec,
    status: { observedGeneration, conditions },
  };
}
