import { describe, expect, test } from 'vitest';
import { assess } from '../../../src/model/compare/assess.ts';
import type { DesiredSecrets } from '../../../src/model/desired/desired-deployment.ts';
import { type Selection, select } from '../../../src/model/patch/selection.ts';
import {
  aResource,
  anObserved,
  aSituation,
  NOW_MS,
  secretsOf,
  someSettings,
} from '../../support/resources/builders.ts';

/**
 * The selection beside an unmanaged secret, which an answer or an old list may show although our last write emptied the
 * list.
 */
function selected(lost: readonly string[], secrets: DesiredSecrets = secretsOf({ OURS: 'o' })): Selection {
  const observed = anObserved({ secrets: [{ name: 'THEIRS' }] });
  const written = {
    before: observed,
    body: {},
    endedMs: NOW_MS - 1,
    dueMs: NOW_MS,
    effect: { lost, dropped: [] },
  };
  const situation = aSituation(aResource({}), observed, { secrets, settings: someSettings(), written });
  const assessment = assess({ ...situation, observed, beganMs: NOW_MS, via: 'answer' });
  return select({ ...situation, assessment });
}

describe('secrets beside unmanaged ones, with Guarded', () => {
  test('are withheld', () => {
    expect(selected([])).toMatchObject({
      sendSecrets: false,
      withheld: [{ reason: 'UnmanagedSecretsPresent' }],
    });
  });

  test('are sent if our last write emptied the list, and no read contradicts that', () => {
    expect(selected(['secrets'])).toMatchObject({ sendSecrets: true, withheld: [] });
  });

  test('are withheld nevertheless if a Secret is missing', () => {
    const missing = { kind: 'missing', what: ['agent-secrets'], values: new Map() } as const;
    expect(selected(['secrets'], missing)).toMatchObject({
      sendSecrets: false,
      withheld: [{ reason: 'SecretMissing' }],
    });
  });
});
