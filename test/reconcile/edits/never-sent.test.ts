import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import type { WireJson } from '../../../src/wire/wire-json.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const CODE = {
  name: AGENT,
  source: 'codehost',
  sourceConfig: { repo_url: 'https://code.example.com/agent', build_on_push: true },
  revisionConfig: { repo_ref: 'main' },
};
const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };

const fromCode = (w: World, spec: Partial<DeploymentSpec>): void => w.apply({ source: 'codehost', ...spec });

const everySent = (w: World): string => JSON.stringify(w.bodies());

describe('an unchanged value is never sent', () => {
  scenario(
    'in place of a branch shown as its commit: a whole body waits until the branch is declared (N36)',
    {
      deployments: [CODE],
      connection: { patch: { bodies: 'Full' } },
      semantics: { topLevelOmit: 'cleared', normalise: ['ref-to-sha'] },
    },
    async (w) => {
      const sourceConfig = { installCommand: 'npm ci' };
      fromCode(w, { sourceConfig });
      await w.pass(200);
      expect(w.bodies()).toEqual([]);
      expect(w.condition('Synced')).toBe('False/SemanticsMismatch');
      expect(w.message()).toContain('declare sourceRevisionConfig.repoRef');
      fromCode(w, { sourceConfig, sourceRevisionConfig: { repoRef: 'main' } });
      await w.pass(200);
      expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'main' });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'in place of a declared branch that was sent twice: the repair carries the branch, not the commit that is shown (N36)',
    {
      deployments: [{ ...CODE, sourceConfig: { ...CODE.sourceConfig, resource_spec: { memory_mb: 512 } } }],
      semantics: {
        topLevelOmit: 'cleared',
        nested: { sourceConfig: 'replace', revisionConfig: 'replace' },
        normalise: ['ref-to-sha'],
        patchEcho: 'empty-202',
        listLag: { reads: 2 },
      },
    },
    async (w) => {
      const sourceRevisionConfig = { repoRef: 'hotfix' };
      w.fault({ kind: 'status', status: 500 });
      fromCode(w, { sourceRevisionConfig });
      await w.pass(20);
      fromCode(w, { sourceRevisionConfig, sourceConfig: { resourceSpec: { labels: { tier: 'two' } } } });
      await w.pass(400);
      expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'hotfix' });
      expect(w.patches().length).toBe(3);
    },
  );

  scenario(
    'to a service that makes a revision of anything it is sent: a hundred resyncs and a restart cost none (H1)',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { resource_spec: { memory_mb: 512 } },
          secrets: [{ name: 'API_TOKEN', value: 'set-by-hand-long-ago' }],
        },
      ],
      semantics: { trigger: 'on-presence', revisionFor: 'and-resource-spec', secretsEcho: 'stars' },
    },
    async (w) => {
      w.apply({
        ...IMAGE,
        sourceConfig: { resourceSpec: { cpu: 2 } },
        secrets: [{ name: 'API_TOKEN', value: 'the-token-of-today' }],
      });
      await w.pass(300);
      const before = { patches: w.patches().length, latest: w.status().latestRevisionID };
      for (let resync = 0; resync < 100; resync += 1) {
        w.resync();
        if (resync === 50) w.restart();
        await w.pass(20);
      }
      expect({ patches: w.patches().length, latest: w.status().latestRevisionID }).toEqual(before);
      expect(w.revisionsMade()).toBe(1);
    },
  );
});

describe('a value that the service generates is never sent back', () => {
  scenario(
    'as an image that it built, whether the image is new, changes, or belongs to a full body (H6)',
    { deployments: [CODE], semantics: { topLevelOmit: 'cleared' } },
    async (w) => {
      fromCode(w, { sourceRevisionConfig: { repoRef: 'main' } });
      await w.pass(60);
      for (const tag of ['built-1', 'built-2']) {
        w.editAtService('source_revision_config.image_uri', `registry.example.com/built:${tag}`);
        await w.pass(90);
        expect(w.bodies()).toEqual([]);
      }
      fromCode(w, { sourceRevisionConfig: { repoRef: 'release' } });
      await w.pass(180);
      fromCode(w, { sourceRevisionConfig: { repoRef: 'hotfix' } });
      await w.pass(180);
      expect(w.kept().content.sourceConfig).toEqual(CODE.sourceConfig);
      expect(w.kept().content.revisionConfig['repo_ref']).toBe('hotfix');
      expect(everySent(w)).not.toContain('image_uri');
    },
  );

  scenario(
    'as the commit that it built from: the status shows it, no request carries it (H7)',
    { deployments: [CODE], semantics: { topLevelOmit: 'cleared', nested: { revisionConfig: 'replace' } } },
    async (w) => {
      for (const repoRef of ['release', 'hotfix']) {
        fromCode(w, { sourceRevisionConfig: { repoRef } });
        await w.pass(180);
      }
      const commit = w.status().observed?.sourceRevisionConfig?.repoCommitSHA;
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      expect(w.bodies().length).toBeGreaterThan(1);
      expect(everySent(w)).not.toContain('repo_commit_sha');
      expect(everySent(w)).not.toContain(commit);
    },
  );

  scenario('as an address that it assigned (H38)', { deployments: [CODE] }, async (w) => {
    fromCode(w, { sourceConfig: { installCommand: 'npm ci' } });
    await w.pass(60);
    w.editAtService('source_config.custom_url', 'https://agent-7f3a.apps.example.com');
    await w.pass(90);
    fromCode(w, { sourceConfig: { installCommand: 'npm install' } });
    await w.pass(90);
    expect(w.bodies()).toEqual([
      { source_config: { install_command: 'npm ci' } },
      { source_config: { install_command: 'npm install' } },
    ]);
    expect(w.kept().content.sourceConfig['custom_url']).toBe('https://agent-7f3a.apps.example.com');
  });
});

describe('an incompatible value is never sent', () => {
  const EDITIONS = [
    { edition: 'Hosted', fits: 'codehost', contrary: 'external_container' },
    { edition: 'SelfHosted', fits: 'external_container', contrary: 'codehost' },
  ] as const;
  for (const { edition, fits, contrary } of EDITIONS) {
    scenario(
      `to a connection whose edition is ${edition}: ${contrary} is InvalidSpec, ${fits} is not (H28)`,
      {
        deployments: [
          { name: 'fits', source: fits },
          { name: 'contrary', source: contrary },
        ],
        connection: { edition },
      },
      async (w) => {
        const sourceConfig = { installCommand: 'npm ci' };
        w.apply({ source: fits, sourceConfig }, 'fits');
        w.apply({ source: contrary, sourceConfig }, 'contrary');
        await w.pass(60);
        expect(w.state('fits')).toContain('True/InSync');
        expect(w.state('contrary')).toBe('False/InvalidSpec False/InvalidSpec');
        expect(w.patches().map(({ id }) => id)).toEqual([w.kept('fits').id]);
      },
    );
  }

  scenario(
    'as an unknown edition: the service decides (H28)',
    { deployments: [CODE, { name: 'other' }] },
    async (w) => {
      fromCode(w, { sourceConfig: { installCommand: 'npm ci' } });
      w.apply(IMAGE, 'other');
      await w.pass(60);
      expect(w.patches()).toHaveLength(2);
    },
  );

  for (const shown of [null, []] satisfies readonly WireJson[]) {
    scenario(
      `as secret references of another source, if the service shows ${JSON.stringify(shown)} (H29)`,
      { deployments: [{ ...CODE, secretReferences: shown }], semantics: { topLevelOmit: 'cleared' } },
      async (w) => {
        for (const repoRef of ['release', 'hotfix']) {
          fromCode(w, { sourceRevisionConfig: { repoRef } });
          await w.pass(150);
        }
        expect(w.bodies().length).toBeGreaterThan(1);
        expect(everySent(w)).not.toContain('secret_references');
      },
    );
  }
});

describe('a deployment of another owner is never written to', () => {
  const SPEC = { ...IMAGE, deploymentRef: { name: 'shared' } };

  scenario(
    'by a second resource: the first to bind owns it, even when the other is deleted (H25)',
    { deployments: [{ name: 'shared' }] },
    async (w) => {
      w.apply(SPEC, 'first');
      await w.pass(60);
      const image = 'registry.example.com/agent:of-the-second';
      w.apply({ ...SPEC, deletionPolicy: 'Delete', sourceRevisionConfig: { imageURI: image } }, 'second');
      await w.pass(120);
      expect(w.state('first')).toBe('True/InSync True/Active');
      expect(w.state('second')).toBe('False/OwnershipConflict False/OwnershipConflict');
      expect(w.message('second')).toContain('team-a/first');
      w.restart();
      await w.pass(120);
      w.store.remove({ kind: 'Deployment', namespace: 'team-a', name: 'second' });
      await w.pass(120);
      expect(w.service.log.count('delete')).toBe(0);
      expect(w.bodies()).toHaveLength(1);
      expect(w.kept('shared').content.revisionConfig).toEqual({
        image_uri: 'registry.example.com/agent:1',
      });
    },
  );

  scenario(
    'by a bound resource that then names another deployment, past the rule of the API server (H21)',
    { deployments: [{ name: AGENT }, { name: 'another', id: uuidFrom('another') }] },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(60);
      const edited = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
      w.apply({ ...edited, deploymentRef: { id: uuidFrom('another') } });
      await w.pass(120);
      expect(w.state()).toBe('False/ImmutableFieldChanged False/ImmutableFieldChanged');
      expect(w.bodies()).toHaveLength(1);
      expect(w.revisionsMade('another')).toBe(0);
    },
  );
});
