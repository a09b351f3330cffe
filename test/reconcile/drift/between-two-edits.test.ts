import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

for (const [when, restarts] of [
  ['', false],
  [', although the operator restarts', true],
] as const)
  describe(`a field that no list shows, after a later write without it${when},`, () => {
    const CODE = { name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } };
    for (const driftPolicy of ['Correct', 'Report'] as const) {
      for (const later of ['a redeploy', 'an edit of another field'] as const)
        scenario(
          `is no drift if that one was ${later}, under ${driftPolicy}`,
          {
            deployments: [
              { ...CODE, sourceConfig: { repo_url: 'https://h/x', install_command: 'make one' } },
            ],
            semantics: { listShape: ['no-commands'] },
          },
          async (w) => {
            const install = (installCommand: string, more: object = {}): void =>
              w.apply({
                ...{ source: 'codehost', driftPolicy, sourceConfig: { installCommand, ...more } },
                sourceRevisionConfig: { repoRef: 'main' },
              });
            install('make one');
            await w.pass(200);
            const count = w.patches().length;
            install('make two');
            await w.pass(20);
            if (later === 'a redeploy') w.annotate('redeploy', '1');
            else install('make two', { buildOnPush: true });
            await w.pass(20);
            if (restarts) w.restart();
            await w.pass(600);
            expect(w.patches()).toHaveLength(count + 2);
            expect(w.condition('Synced')).toBe('True/InSync');
          },
        );

      scenario(
        `goes along with the next edit if that one was a repair, under ${driftPolicy}`,
        {
          deployments: [{ ...CODE, sourceConfig: { repo_url: 'https://h/x' } }],
          semantics: {
            listShape: ['no-commands'],
            nested: { sourceConfig: 'replace', revisionConfig: 'replace' },
          },
        },
        async (w) => {
          const graph = (graphConfigPath: string): void =>
            w.apply({
              ...{ source: 'codehost', driftPolicy, sourceConfig: { installCommand: 'make ours' } },
              sourceRevisionConfig: { graphConfigPath },
            });
          graph('1.json');
          await w.pass(300);
          if (restarts) w.restart();
          graph('2.json');
          await w.pass(300);
          expect(w.kept().content.sourceConfig).toEqual({
            repo_url: 'https://h/x',
            install_command: 'make ours',
          });
          expect(w.patches()).toHaveLength(3);
          expect(w.condition('Synced')).toBe('True/InSync');
        },
      );
    }
  });

describe('a value that somebody changes between two edits, soon after the first one set it,', () => {
  const CODE = {
    name: AGENT,
    source: 'codehost',
    sourceConfig: { repo_url: 'https://h/x', install_command: 'make one' },
    revisionConfig: { repo_ref: 'main' },
  };

  /** Edits the command, which the service then holds as somebody else leaves it, and edits something else. */
  async function edited(
    w: World,
    driftPolicy: 'Correct' | 'Report',
    { changes, second = {} }: { changes: () => void; second?: object },
  ): Promise<void> {
    const install = (installCommand: string, more: object = {}): void =>
      w.apply({
        ...{ source: 'codehost', driftPolicy, sourceConfig: { installCommand } },
        sourceRevisionConfig: { repoRef: 'main', ...more },
      });
    install('make one');
    await w.pass(200);
    install('make two');
    await w.pass(10);
    changes();
    await w.pass(1);
    install('make two', second);
    await w.pass(900);
  }

  const command = (w: World): unknown => w.kept().content.sourceConfig['install_command'];
  const second = { graphConfigPath: 'graph.json' };

  for (const driftPolicy of ['Correct', 'Report'] as const) {
    const expectFound = (w: World): void => {
      if (driftPolicy === 'Correct') expect(command(w)).toBe('make two');
      else expect(w.condition('Synced')).toBe('False/DriftReported');
    };
    for (const value of [null, 'make theirs'])
      scenario(
        `is drift under ${driftPolicy} if the answer to the second shows the block ${value === null ? 'without it' : 'with another value'}, although lists do not show it`,
        { deployments: [CODE], semantics: { listShape: ['no-commands'] } },
        async (w) => {
          const changes = (): void => w.editAtService('source_config.install_command', value);
          await edited(w, driftPolicy, { changes, second });
          expectFound(w);
        },
      );

    scenario(
      `is drift under ${driftPolicy} if lists show it, although the operator restarts`,
      { deployments: [CODE] },
      async (w) => {
        const changes = (): void => {
          w.kill();
          w.editAtService('source_config.install_command', null);
          w.start();
        };
        await edited(w, driftPolicy, { changes, second });
        expectFound(w);
      },
    );
  }

  for (const nested of ['merge', 'replace'] as const)
    scenario(
      `is not overwritten under Report if the second answer shows it as it was before, under ${nested}`,
      {
        deployments: [CODE],
        semantics: {
          ...{ listShape: ['no-commands'], patchEcho: 'pre' },
          ...(nested === 'replace' && { nested: { sourceConfig: nested, revisionConfig: nested } }),
        },
      },
      async (w) => {
        const changes = (): void => w.editAtService('source_config.install_command', 'make theirs');
        await edited(w, 'Report', { changes, second });
        expect(command(w)).toBe('make theirs');
        expect(w.condition('Synced')).toBe('False/DriftReported');
      },
    );
});
