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

describe('a number that lists never show and the service rounds, and a redeploy soon after its edit', () => {
  /** Edits the number, redeploys twice, and returns the requests with the number up to the first redeploy. */
  async function redeployed(w: World, driftPolicy: 'Correct' | 'Report'): Promise<number> {
    const cpu = (value: number): void =>
      w.apply({
        ...{ source: 'codehost', driftPolicy, rollout: { maxRevisionsPerHour: 30 } },
        sourceConfig: { resourceSpec: { cpu: value } },
        sourceRevisionConfig: { repoRef: 'main' },
      });
    cpu(1.5);
    await w.pass(200);
    cpu(2.5);
    await w.pass(20);
    w.annotate('redeploy', '1');
    await w.pass(300);
    expect(w.condition('Synced')).toBe('True/InSync');
    const count = w.bodies().filter((body) => JSON.stringify(body).includes('2.5')).length;
    w.annotate('redeploy', '2');
    await w.pass(300);
    expect(w.condition('Synced')).toBe('True/InSync');
    expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 2.5 });
    return count;
  }

  for (const nested of ['merge-null-clears', 'replace'] as const)
    for (const driftPolicy of ['Correct', 'Report'] as const)
      scenario(
        `is no drift, and is not lost, under ${driftPolicy} and ${nested}`,
        {
          deployments: [
            {
              ...{ name: AGENT, source: 'codehost', sourceConfig: { repo_url: 'https://h/x' } },
              revisionConfig: { repo_ref: 'main' },
            },
          ],
          semantics: {
            listShape: ['resource-spec-null'],
            normalise: ['integer'],
            nested: { sourceConfig: nested, revisionConfig: nested, resourceSpec: nested },
          },
        },
        async (w) => {
          expect(await redeployed(w, driftPolicy)).toBe(nested === 'replace' ? 2 : 1);
        },
      );
});
