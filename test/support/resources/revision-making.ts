import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import { isWireObject } from '../../../src/simulator/values/wire-values.ts';
import type { WireObject } from '../../../src/wire/wire-json.ts';

const BLOCKS = ['source_revision_config', 'secrets', 'secret_references', 'revision_source'];

/**
 * Returns whether a request has a part that may make a revision (section 3 of the specification leaves some parts
 * open).
 */
export function mayMakeRevision({ body }: LoggedRequest): boolean {
  if (!isWireObject(body ?? null)) return false;
  const sent = body as WireObject;
  const config = sent['source_config'] ?? null;
  return BLOCKS.some((block) => block in sent) || (isWireObject(config) && 'resource_spec' in config);
}

const HOUR_MS = 3_600_000;

/** Returns by how many the requests of any hour exceed `perHour` and one for each edit within it; 0 if none does. */
export function beyondBudget(
  requests: readonly LoggedRequest[],
  budget: { readonly perHour: number; readonly editsMs: readonly number[] },
): number {
  const sent = requests.filter(mayMakeRevision);
  const excess = sent.map(({ beganMs }) => {
    const within = (ms: number): boolean => ms > beganMs - HOUR_MS && ms <= beganMs;
    const allowed = budget.perHour + budget.editsMs.filter(within).length;
    return sent.filter((request) => within(request.beganMs)).length - allowed;
  });
  return Math.max(0, ...excess);
}
