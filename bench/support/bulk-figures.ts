import { boundMs, type Bulk, isPatch, lastPatchMs } from './bulk.ts';
import { atMost, type Measurement } from './measurement.ts';

/** The first phase of a bulk, whose cost fewer edits do not show. */
const PHASE_MS = 60_000;

/** The figures of a bulk of `count` edits, named after the size that it has unless it is a smoke run. */
export function bulkFigures(named: number, count: number, bulk: Bulk): readonly Measurement[] {
  const perDeployment = new Map<string, number>();
  for (const { id } of bulk.calls.filter(isPatch)) perDeployment.set(id, (perDeployment.get(id) ?? 0) + 1);
  const edits = `${named.toLocaleString('en')} edits at once`;
  return [
    {
      name: `${edits}, until the last PATCH`,
      unit: 'ms',
      samples: [lastPatchMs(bulk.calls) - bulk.beganMs],
      target: atMost(1.05 * boundMs(count)),
      ...(named === 1_000 ? { peer: '110 s at 10/s, burst 100' } : {}),
    },
    {
      name: `reads by id for one of ${edits}, in the minute with the most`,
      unit: 'calls',
      samples: [Math.max(...readsPerEdit(bulk))],
      target: atMost(0.08),
      peer: '1.13 to 1.33',
    },
    {
      name: `PATCHes for one of ${edits}, at most`,
      unit: 'PATCHes',
      samples: [Math.max(...perDeployment.values())],
      target: atMost(1),
    },
  ];
}

/** The reads by id for each PATCH, minute by minute until the last PATCH; the minute that it cuts short counts to the one before. */
export function readsPerEdit({ beganMs, calls }: Bulk): readonly number[] {
  const minutes = Math.max(1, Math.floor((lastPatchMs(calls) - beganMs) / PHASE_MS));
  const reads = Array.from({ length: minutes }, () => 0);
  const patches = Array.from({ length: minutes }, () => 0);
  for (const call of calls) {
    const minute = Math.min(minutes - 1, Math.floor((call.beganMs - beganMs) / PHASE_MS));
    if (call.beganMs > lastPatchMs(calls)) continue;
    if (isPatch(call)) patches[minute]! += 1;
    else if (call.operation === 'list' && /(^|&)\w*ids=/.test(call.query)) reads[minute]! += 1;
  }
  return reads.map((count, minute) => count / Math.max(1, patches[minute]!));
}
