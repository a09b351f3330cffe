import { expect, test } from 'vitest';
import { withTheirs } from '../../../src/model/effects/with-theirs.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { anObserved, NOW_MS } from '../../support/resources/builders.ts';

const showing = (memoryMB: number, more: Partial<ObservedDeployment> = {}): ObservedDeployment =>
  anObserved({ sourceConfig: { fields: {}, resourceSpec: { fields: { memoryMB }, unknown: {} } }, ...more });

/** Returns the memory that counts after a write, if the answer shows 1024 as lists did before, and a list shows 512. */
function memoryBeside(list: Partial<ObservedDeployment>): unknown {
  const answer = showing(1024);
  const outranked = { deployment: showing(512, list), beganMs: NOW_MS };
  const look = { kind: 'present', deployment: answer, beganMs: NOW_MS, via: 'answer', outranked } as const;
  const counted = withTheirs(look, { listed: showing(1024), body: {}, endedMs: NOW_MS - 1 }, []);
  return counted.kind === 'present' && counted.deployment.sourceConfig?.resourceSpec?.fields['memoryMB'];
}

test('a value that only a later list shows is another writer’s, unless that list is from before any revision', () => {
  expect(memoryBeside({})).toBe(512);
  expect(memoryBeside({ latestRevisionID: 'rev-2' })).toBe(512);
  expect(memoryBeside({ latestRevisionID: null })).toBe(1024);
});
