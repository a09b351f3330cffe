import { describe, expect, test } from 'vitest';
import { workApart } from '../support/fuzz/apart.ts';
import { DEAL, type Part } from '../support/fuzz/deal.ts';
import { LIMITS } from '../support/fuzz/process.ts';

/** The inputs whose size other parties control. */
const COUNTED: readonly Part[] = ['service', 'watch', 'api-server', 'manifests', 'state', 'kubeconfig'];

describe('twice as much to read is about twice the work', () => {
  test.each(COUNTED)('for the readers of %s', { timeout: LIMITS.afterMs + 10_000 }, async (part) => {
    const targets = Object.keys(DEAL[part]);
    expect(await workApart({ file: `targets/${part}.ts`, targets })).toEqual([]);
  });
});
