import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';

const INTEGRATION = '11111111-2222-4333-8444-555555555555';
const repository = { integrationID: INTEGRATION, owner: 'acme', name: 'agent' };
const listed = {
  host_integration_id: INTEGRATION,
  id: 1,
  owner: 'acme',
  name: 'agent',
  url: 'https://codehost.example.com/acme/agent',
  default_branch: 'trunk',
};
const CREATED = { source: 'codehost', creation: { policy: 'IfMissing' }, repository } as const;

describe('the repository of a creation', () => {
  scenario('is awaited if it is in no list', { deployments: [] }, async (w) => {
    w.apply(CREATED);
    await w.pass(60);
    expect(w.condition('Synced')).toBe('False/RepositoryNotFound');
    expect(w.message()).toBe(`integration ${INTEGRATION} does not list repository acme/agent`);
  });

  scenario(
    'is reported as possibly beyond the first page of a list (N83)',
    {
      deployments: [],
      seed: { integrations: [{ id: INTEGRATION, repositories: [{ ...listed, name: 'site' }] }] },
    },
    async (w) => {
      const headers = { link: '</v1/repos?page=2>; rel="next"' };
      w.fault({ kind: 'headers', headers }, { match: { operation: 'repositories' }, times: 0 });
      w.apply(CREATED);
      await w.pass(60);
      expect(w.condition('Synced')).toBe('False/RepositoryNotFound');
      expect(w.message()).toContain(
        'acme/agent on its first page, and the operator does not read further pages (Link)',
      );
    },
  );
});
