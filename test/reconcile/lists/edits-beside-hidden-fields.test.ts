import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

// Lists hide only the image. Everything else of the service is pleasant, and nothing lags.
const given = {
  deployments: [
    {
      name: AGENT,
      sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512, labels: { team: 'theirs' } } },
      revisionConfig: { image_uri: 'r.example.com/agent:1' },
    },
  ],
  semantics: { listShape: ['no-image-uri'] },
} as const;
const NEW_IMAGE = { sourceRevisionConfig: { imageURI: 'r.example.com/agent:2' } } as const;

/** Writes an image, lets somebody else edit 12 s later, and the user another field 13 s after that. */
async function between(w: World, path: string, value: string | number): Promise<void> {
  w.apply(NEW_IMAGE);
  await w.pass(12);
  w.editAtService(path, value);
  await w.pass(13);
  w.apply({ ...NEW_IMAGE, sourceConfig: { resourceSpec: { serviceAccountName: 'ours' } } });
  await w.pass(200);
}

describe('what somebody set after our write of a field that lists hide, and that two lists have shown since', () => {
  for (const [path, value, key] of [
    ['source_config.resource_spec.memory_mb', 1024, { memory_mb: 1024 }],
    ['source_config.resource_spec.labels.tier', 'theirs', { labels: { team: 'theirs', tier: 'theirs' } }],
  ] as const)
    scenario(`stays beside the next edit: ${path}`, given, async (w) => {
      w.apply({});
      await w.pass(200);
      await between(w, path, value);
      expect(w.kept().content.sourceConfig.resource_spec).toMatchObject(key);
    });

  scenario('stays and is reported under Report', given, async (w) => {
    const spec = { driftPolicy: 'Report', sourceConfig: { resourceSpec: { cpu: 2 } } } as const;
    w.apply(spec);
    await w.pass(200);
    w.apply({ ...spec, ...NEW_IMAGE });
    await w.pass(12);
    w.editAtService('source_config.resource_spec.cpu', 4);
    await w.pass(13);
    w.apply({
      ...spec,
      ...NEW_IMAGE,
      sourceConfig: { resourceSpec: { cpu: 2, serviceAccountName: 'ours' } },
    });
    await w.pass(200);
    expect(w.kept().content.sourceConfig.resource_spec).toMatchObject({ cpu: 4 });
    expect(w.condition('Synced')).toBe('False/DriftReported');
  });

  for (const secretsOwnership of ['Guarded', 'Merge'] as const)
    scenario(`stays beside a rotation of ours: a secret (${secretsOwnership})`, given, async (w) => {
      const spec = { secretsOwnership, secrets: [{ name: 'OURS', value: 'ours-number-one' }] } as const;
      w.apply({ ...spec, secretsOwnership: 'Exclusive' });
      await w.pass(100);
      w.apply(spec);
      await w.pass(100);
      w.apply({ ...spec, ...NEW_IMAGE });
      await w.pass(12);
      w.secretTexts.add('theirs-number-one');
      w.editAtService('secrets.THEIRS', 'theirs-number-one');
      await w.pass(13);
      w.apply({ ...spec, ...NEW_IMAGE, secrets: [{ name: 'OURS', value: 'ours-number-two' }] });
      await w.pass(200);
      expect(w.kept().content.secrets.map(({ name }) => name)).toContain('THEIRS');
    });

  scenario('holds back our first secrets, as the guard says (H3)', given, async (w) => {
    const spec = { secrets: [{ name: 'OURS', value: 'ours-number-one' }] };
    w.apply(spec);
    await w.pass(200);
    expect(w.condition('Synced')).toBe('False/SecretVisibilityUnproven');
    w.apply({ ...spec, ...NEW_IMAGE });
    await w.pass(15);
    w.editAtService('secrets.THEIRS', 'theirs-number-one');
    await w.pass(200);
    expect(w.kept().content.secrets.map(({ name }) => name)).toEqual(['THEIRS']);
    expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
  });
});

describe('an edit of an image that lists hide, whose answer shows the state before it', () => {
  for (const listShape of ['no-image-uri', 'empty-revision-config'] as const)
    scenario(
      `is not repeated, since a list shows its revision (${listShape})`,
      { deployments: given.deployments, semantics: { listShape: [listShape], patchEcho: 'pre' } },
      async (w) => {
        w.apply(NEW_IMAGE);
        await w.pass(200);
        w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:3' } });
        await w.pass(300);
        expect(w.patches()).toHaveLength(2);
        expect(w.revisionsMade()).toBe(2);
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );

  scenario(
    'is repeated once if it never arrived, and is in sync after that',
    { deployments: given.deployments, semantics: { listShape: ['no-image-uri'], patchEcho: 'pre' } },
    async (w) => {
      w.apply(NEW_IMAGE);
      await w.pass(200);
      w.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
      w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:3' } });
      await w.pass(300);
      expect(w.patches()).toHaveLength(3);
      expect(w.revisionsMade()).toBe(2);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );
});
