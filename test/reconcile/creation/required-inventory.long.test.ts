import { describe, expect } from 'vitest';
import type { WireProvider } from '../../../src/wire/wire-provider.ts';
import type { WireRepository } from '../../../src/wire/wire-repository.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type Given, type World } from '../support/world.ts';

const INTEGRATION = '11111111-2222-4333-8444-555555555555';
const NAMES = Array.from({ length: 12 }, (_, n) => `agent-${n}`);
const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
const NEEDY = { ...IMAGE, requiredOAuthProviders: ['github-prod'] };

function provider(name: string): WireProvider {
  return {
    id: `id-of-${name}`,
    organization_id: 'o',
    provider_id: name,
    name,
    client_id: 'c',
    auth_url: '',
    token_url: '',
    uses_pkce: true,
    code_challenge_method: null,
    created_at: '',
    updated_at: '',
  };
}

const repository = (name: string): WireRepository => ({
  host_integration_id: INTEGRATION,
  id: 1,
  owner: 'acme',
  name,
  url: `https://codehost.example.com/acme/${name}`,
  default_branch: 'trunk',
});

/** The inventories, which tests extend while they run. */
let providers: WireProvider[];
let repositories: WireRepository[];

/** Returns a world whose inventories are empty at first. */
function given(more: Given = {}): Given {
  return {
    ...more,
    get seed() {
      [providers, repositories] = [[], []];
      return { ...more.seed, providers, integrations: [{ id: INTEGRATION, repositories }] };
    },
  };
}

/** Returns the number of list calls that `work` causes. */
async function calls(
  w: World,
  operation: 'providers' | 'repositories',
  work: () => Promise<void>,
): Promise<number> {
  const before = w.service.log.count(operation);
  await work();
  return w.service.log.count(operation) - before;
}

describe('a required provider', () => {
  scenario(
    'that is missing is found within a sweep after it is added, without a trigger',
    given(),
    async (w) => {
      w.apply(NEEDY);
      await w.pass(30);
      expect(w.state()).toBe('False/ProviderMissing False/ProviderMissing');
      expect(w.message()).toBe('OAuth providers github-prod: the service does not list them');
      expect(w.patches()).toEqual([]);
      providers.push(provider('github-prod'));
      await w.pass(70);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(1);
    },
  );

  for (const [how, ask] of [
    ['edits the resource', (w: World) => w.apply({ ...NEEDY, driftPolicy: 'Report' })],
    ['asks for another look', (w: World) => w.annotate('reconcile-at', 'now')],
  ] as const)
    scenario(`that is added is found within seconds if a user ${how}`, given(), async (w) => {
      w.apply(NEEDY);
      await w.pass(31);
      providers.push(provider('github-prod'));
      ask(w);
      await w.pass(2);
      expect(w.patches()).toHaveLength(1);
      await w.pass(60);
    });

  scenario(
    'costs a dozen waiting resources one call a sweep, and one more call when all are triggered at once',
    given({ deployments: NAMES.map((name) => ({ name })) }),
    async (w) => {
      for (const name of NAMES) w.apply(NEEDY, name);
      await w.pass(90);
      const writes = w.statusWrites.length;
      expect(await calls(w, 'providers', () => w.pass(600))).toBeLessThanOrEqual(11);
      expect(w.statusWrites, 'waiting writes nothing').toHaveLength(writes);
      const asking = async (): Promise<void> => {
        for (const name of NAMES) w.annotate('reconcile-at', 'now', name);
        await w.pass(1);
      };
      expect(await calls(w, 'providers', asking)).toBeLessThanOrEqual(1);
      providers.push(provider('github-prod'));
      const seen = async (): Promise<void> => {
        await w.pass(11);
        w.annotate('reconcile-at', 'again', 'agent-7');
        await w.pass(1);
      };
      expect(await calls(w, 'providers', seen)).toBeLessThanOrEqual(2);
      await w.pass(120);
      for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
    },
  );

  scenario('and that is there costs no call beside those of the check', given(), async (w) => {
    providers.push(provider('github-prod'));
    w.apply(NEEDY);
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(await calls(w, 'providers', () => w.pass(3_600))).toBeLessThanOrEqual(8);
  });

  scenario('is reported when its list is refused', given(), async (w) => {
    w.fault({ kind: 'status', status: 403 }, { match: { operation: 'providers' }, times: 0 });
    w.apply(NEEDY);
    await w.pass(120);
    expect(w.message()).toBe(
      'OAuth providers github-prod: the service did not list its providers (Forbidden)',
    );
    expect(w.connectionState()).toBe('True/Ok');
  });

  scenario('is found on the first page of a longer list (N83)', given(), async (w) => {
    providers.push(provider('github-prod'));
    const headers = { link: '</v2/auth/providers?page=2>; rel="next"' };
    w.fault({ kind: 'headers', headers }, { match: { operation: 'providers' }, times: 0 });
    w.apply({ ...NEEDY, requiredOAuthProviders: ['github-prod', 'gitlab'] });
    await w.pass(60);
    expect(w.message()).toBe(
      'OAuth providers gitlab: the service does not list them on the first page, and the operator does not read further pages (Link)',
    );
    w.apply(NEEDY);
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

describe('a repository that a creation names', () => {
  const made = (name: string) =>
    ({
      source: 'codehost',
      creation: { policy: 'IfMissing' },
      repository: { integrationID: INTEGRATION, owner: 'acme', name },
    }) as const;
  const GIVEN = { deployments: [{ name: AGENT }] };

  scenario('is found within a sweep after it appears, or at once on a trigger', given(GIVEN), async (w) => {
    w.apply(made('one'), 'first');
    w.apply(made('two'), 'second');
    await w.pass(31);
    expect(w.condition('Synced', 'first')).toBe('False/RepositoryNotFound');
    repositories.push(repository('one'), repository('two'));
    w.annotate('reconcile-at', 'now', 'first');
    await w.pass(2);
    expect(w.service.log.requests('create')).toHaveLength(1);
    await w.pass(60);
    expect(w.service.log.requests('create')).toHaveLength(2);
  });

  scenario('costs a dozen waiting resources one call a sweep', given(GIVEN), async (w) => {
    for (const name of NAMES) w.apply(made('none'), name);
    await w.pass(90);
    expect(w.condition('Synced', 'agent-11')).toBe('False/RepositoryNotFound');
    expect(await calls(w, 'repositories', () => w.pass(600))).toBeLessThanOrEqual(11);
  });

  scenario('is awaited while the service lists none', given(GIVEN), async (w) => {
    w.fault({ kind: 'status', status: 401 }, { match: { operation: 'repositories' }, times: 0 });
    w.apply(made('one'), 'first');
    await w.pass(300);
    expect(w.condition('Synced', 'first')).toBe('False/RepositoryNotFound');
    expect(w.message('first')).toBe(
      `the repositories of integration ${INTEGRATION} are not listed (AuthFailed)`,
    );
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.events.reasons()).not.toContain('AuthFailed');
  });
});
