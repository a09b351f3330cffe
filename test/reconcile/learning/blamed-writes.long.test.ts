import { describe, expect } from 'vitest';
import { SWITCHES } from '../../../src/simulator/switches/switches.ts';
import { scenario } from '../support/scenario.ts';
import { listsShow, patchesAnswer, type ShownDeployment } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const IMAGE = { image_uri: 'registry.example.com/agent:1' };
const X = {
  name: AGENT,
  sourceConfig: {
    build_on_push: true,
    custom_url: 'https://by-hand.example.com',
    install_command: 'npm ci',
  },
  revisionConfig: IMAGE,
};
const MASKED = {
  name: 'masked',
  sourceConfig: { build_on_push: true },
  revisionConfig: IMAGE,
  secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
};
const STARS = { secretsEcho: 'stars' } as const;

const declare = (w: World, buildOnPush: boolean, name: string = AGENT): void =>
  w.apply({ sourceConfig: { buildOnPush } }, name);
const verdict = (w: World): string | undefined => w.connectionStatus().learned?.omittedFields?.verdict;

/** Binds both resources and brings them to rest, without a write. */
async function atRest(w: World): Promise<void> {
  declare(w, true);
  declare(w, true, 'masked');
  await w.pass(200);
  expect(w.patches()).toHaveLength(0);
}

/**
 * Expects the smallest bodies, as for a service that keeps omitted fields, even where a whole body would lose a secret.
 */
async function expectKnownToKeep(w: World): Promise<void> {
  declare(w, false, 'masked');
  await w.pass(200);
  expect(w.state('masked')).toBe('True/InSync True/Active');
  expect(w.bodies().filter((body) => !isSmall(body))).toEqual([]);
  expect(verdict(w)).not.toBe('Replace');
  expect(w.events.reasons()).not.toContain('SemanticsMismatch');
}

const isSmall = (body: unknown): boolean =>
  Object.keys(body as object).join(',') === 'source_config' &&
  Object.keys((body as ShownDeployment).source_config).join(',') === 'build_on_push';

describe('a service that keeps omitted fields is not blamed (A1)', () => {
  scenario(
    'for answers that repeat only the requested fields',
    { deployments: [X, MASKED], semantics: STARS },
    async (w) => {
      patchesAnswer(w, (shown, asked) => {
        for (const block of ['source_config', 'source_revision_config'] as const) {
          const own = (asked[block] ?? {}) as Record<string, unknown>;
          shown[block] = Object.fromEntries(Object.keys(own).map((key) => [key, shown[block][key]]));
        }
      });
      await atRest(w);
      declare(w, false);
      await w.pass(400);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(verdict(w)).toBe('Keep');
      await expectKnownToKeep(w);
    },
  );

  const leavingOut: Readonly<Record<string, (shown: ShownDeployment) => void>> = {
    'one key': (shown) => delete shown.source_config['install_command'],
    'every key of a block': (shown) => (shown.source_config = {}),
    'a block': (shown) => Reflect.deleteProperty(shown, 'source_config'),
    'the revision block': (shown) => (shown.source_revision_config = {}),
  };
  for (const [what, change] of Object.entries(leavingOut)) {
    for (const gapS of [5, 45, 90]) {
      scenario(
        `where lists omit ${what} that answers show, for an edit ${gapS} s after another`,
        { deployments: [X, MASKED], semantics: STARS },
        async (w) => {
          listsShow(w, change);
          w.apply({ sourceConfig: { buildCommand: 'make one' } });
          await w.pass(200);
          w.apply({ sourceConfig: { buildCommand: 'make two' } });
          await w.pass(gapS);
          w.apply({ sourceConfig: { buildCommand: 'make three' } });
          await w.pass(400);
          for (const body of w.bodies()) expect(Object.keys(body as object)).toEqual(['source_config']);
          expect(verdict(w)).not.toBe('Replace');
          expect(w.kept().content.sourceConfig).toMatchObject(X.sourceConfig);
        },
      );
    }
  }

  for (const patchEcho of SWITCHES.patchEcho.values) {
    for (const afterS of [5, 50, 100]) {
      scenario(
        `for a field that a person empties ${afterS} s after a write with an answer of ${patchEcho}`,
        { deployments: [X, MASKED], semantics: { ...STARS, patchEcho } },
        async (w) => {
          await atRest(w);
          declare(w, false);
          await w.pass(afterS);
          w.editAtService('source_config.custom_url', null);
          await w.pass(600);
          expect(w.kept().content.sourceConfig, 'it stays as the person left it').toEqual({
            build_on_push: false,
            install_command: 'npm ci',
          });
          await expectKnownToKeep(w);
        },
      );
    }
  }
});

describe('a value that disappears after a write whose answer does not show its block', () => {
  scenario(
    'is reported and not restored if a neighbour, which was also left out, stays',
    {
      deployments: [{ ...X, revisionConfig: { ...IMAGE, graph_config_path: 'theirs.json' } }],
      semantics: { listLag: { seconds: 20 } },
    },
    async (w) => {
      patchesAnswer(w, (shown) => Reflect.deleteProperty(shown, 'source_revision_config'));
      await w.pass(100);
      declare(w, false);
      await w.pass(2);
      w.editAtService('source_revision_config.image_uri', null);
      await w.pass(400);
      expect(w.patches(), 'a person took it away').toHaveLength(1);
      expect(verdict(w)).not.toBe('Replace');
      expect(w.status().lost).toEqual(['sourceRevisionConfig.imageURI']);
      expect(w.message()).toContain('not put back: sourceRevisionConfig.imageURI');
    },
  );
});

describe('a service that was blamed wrongly', () => {
  /**
   * A person empties a whole block between a write and its answer. The answer shows as little of it as the next list.
   */
  async function blamed(w: World): Promise<void> {
    declare(w, true, 'other');
    await atRest(w);
    w.moments.leaving = ({ method }) => {
      if (method !== 'PATCH') return;
      w.editAtService('source_config.custom_url', null);
      w.editAtService('source_config.install_command', null);
    };
    declare(w, false);
    await w.pass(200);
    w.disarm();
    expect(verdict(w)).toBe('Replace');
  }

  scenario(
    'is trusted again after three writes that left out fields and lost none (A1)',
    { deployments: [X, { ...X, name: 'other' }, MASKED], semantics: STARS },
    async (w) => {
      await blamed(w);
      declare(w, false, 'masked');
      await w.pass(100);
      expect(w.state('masked')).toContain('SemanticsMismatch');
      for (let edit = 0; edit < 5; edit += 1) {
        declare(w, edit % 2 === 0);
        declare(w, edit % 2 === 1, 'other');
        await w.pass(400);
      }
      expect(verdict(w)).toBe('Keep');
      expect(w.state('masked'), 'what was held goes').toBe('True/InSync True/Active');
      for (const name of [AGENT, 'other'])
        expect(w.kept(name).content.sourceConfig).toMatchObject({ install_command: 'npm ci' });
    },
  );

  scenario(
    'gets bodies without omissions if a secret that cannot be sent back is at stake',
    {
      deployments: [X, { ...X, name: 'other' }, MASKED],
      semantics: { ...STARS, nested: { sourceConfig: 'replace' } },
    },
    async (w) => {
      await blamed(w);
      for (let edit = 0; edit < 12; edit += 1) {
        declare(w, edit % 2 === 0);
        declare(w, edit % 2 === 1, 'other');
        await w.pass(400);
      }
      expect(verdict(w), 'it empties what is left out').toBe('Replace');
      for (const name of [AGENT, 'other'])
        expect(w.kept(name).content.sourceConfig).toMatchObject({
          custom_url: X.sourceConfig.custom_url,
          install_command: 'npm ci',
        });
      const whole = w.bodies().filter((body) => !isSmall(body));
      expect(w.patches().length - whole.length, 'writes that left something out').toBeLessThanOrEqual(4);
    },
  );
});
