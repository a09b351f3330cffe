import { readFile } from 'node:fs/promises';
import { writeOutput } from '../../directory/files/write-output.ts';
import { writeTrouble } from '../../directory/files/write-trouble.ts';
import type { KeyedHashes } from '../../model/recorded/digests.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { PlannedResource } from '../../views/plans/planned-resource.ts';
import { readSavedPlan, type SavedPlan, savedPlanText } from '../../views/plans/saved-plan.ts';
import { VERSION } from '../operator/version.ts';

const PROGRAM = `dms-operator ${VERSION}`;

/** Writes a plan that was made with `reviews` to a file that only its owner can read, or to a pipe. */
export async function savePlan(
  file: string,
  resources: readonly PlannedResource[],
  hashes: KeyedHashes,
): Promise<void> {
  const writes = resources.flatMap(({ reviewed }) => reviewed ?? []);
  const plan: SavedPlan = { formatVersion: 1, program: PROGRAM, keyID: hashes.keyID, writes };
  await writeOutput(file, savedPlanText(plan, hashes)).catch((error: unknown) => {
    if (error instanceof ExpectedError) throw error;
    throw new ExpectedError(`${file}: the plan cannot be written: ${writeTrouble(error)}`);
  });
}

/** Reads a plan from a file. Throws an ExpectedError if it cannot be read, or was made for something else. */
export async function savedPlanAt(file: string, hashes: KeyedHashes): Promise<SavedPlan> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ExpectedError(`${file}: the plan cannot be read (${codeOf(error)})`);
  });
  const plan = readSavedPlan(text, PROGRAM, hashes);
  if ('why' in plan) throw new ExpectedError(`${file} cannot be applied: ${plan.why}`);
  return plan;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
