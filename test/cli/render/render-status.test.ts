import { describe, expect, test } from 'vitest';
import { statusTable } from '../../../src/cli/render/render-status.ts';
import { statusRow } from '../../../src/views/resources/status-row.ts';
import { aResource, NOW_MS } from '../../support/resources/builders.ts';

const ready = (reason: string) => ({
  conditions: [
    {
      ...{ type: 'Ready', status: 'True' as const, reason, message: '', observedGeneration: 1 },
      lastTransitionTime: new Date(NOW_MS).toISOString(),
    },
  ],
});

describe('the reason in the table of status', () => {
  test.each([
    ['Active', { 'dms-operator.dev/paused': 'true' }, 'Active, paused'],
    [undefined, { 'dms-operator.dev/paused': 'true' }, 'paused'],
    ['Active', { 'dms-operator.dev/paused': 'false' }, 'Active'],
    ['Active', {}, 'Active'],
    ['Paused', { 'dms-operator.dev/paused': 'true' }, 'Paused'],
  ])('of %s with %o is %s', (reason, annotations, shown) => {
    const row = statusRow(aResource({}, { annotations, status: reason === undefined ? {} : ready(reason) }));
    const { header, rows } = statusTable([row], { wide: false, namespaces: false, nowMs: NOW_MS });
    expect(rows[0]?.[header.indexOf('REASON')]).toBe(shown);
  });
});
