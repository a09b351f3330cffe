import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT, type Given, type World } from '../support/world.ts';

/** A service whose lists hide commands, and that keeps what a null should empty. */
const KEEPING: Given = {
  deployments: [{ name: AGENT, source: 'codehost', sourceConfig: { build_command: 'make' } }],
  semantics: { listShape: ['no-commands'], nested: { sourceConfig: 'merge-null-ignored' } },
};

/** Returns the same service with other answers, and one that empties the field. */
const emptying = (patchEcho: 'post' | 'pre' | 'partial'): Given => ({
  ...KEEPING,
  semantics: { ...KEEPING.semantics, patchEcho, nested: { sourceConfig: 'merge-null-clears' } },
});

const CLEARS: Partial<DeploymentSpec> = { source: 'codehost', clear: ['sourceConfig.buildCommand'] };
const withCPU = (cpu: number): Partial<DeploymentSpec> => ({ sourceConfig: { resourceSpec: { cpu } } });

/** Applies a spec after another one that manages nothing. */
async function applyTo(w: World, spec: Partial<DeploymentSpec>): Promise<void> {
  w.apply({ source: 'codehost' });
  await w.pass(200);
  w.apply(spec);
  await w.pass(200);
}

describe('a field that spec.clear empties and that lists hide', () => {
  judgedScenario(
    'is not in sync if the answer to a later write shows that the service keeps it, also after a restart',
    KEEPING,
    async (w) => {
      await applyTo(w, CLEARS);
      // The answer to the first write may show the state before it.
      expect(w.condition('Synced')).toBe('True/InSync');
      w.apply({ ...CLEARS, ...withCPU(4) });
      await w.pass(200);
      expect(w.kept().content.sourceConfig).toMatchObject({ build_command: 'make' });
      expect(w.condition('Synced')).toBe('False/FieldNotClearable');
      w.restart();
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/FieldNotClearable');
      expect(w.patches()).toHaveLength(2);
    },
  );

  for (const driftPolicy of ['Correct', 'Report'] as const)
    judgedScenario(
      `is not in sync if the answer shows it beside another value of the same write (${driftPolicy})`,
      KEEPING,
      async (w) => {
        await applyTo(w, { driftPolicy, ...CLEARS, ...withCPU(4) });
        expect(w.condition('Synced')).toBe('False/FieldNotClearable');
        // A list would show it as well.
        w.become({ listShape: [] });
        await w.pass(200);
        expect(w.condition('Synced')).toBe('False/FieldNotClearable');
        expect(w.patches()).toHaveLength(1);
      },
    );

  scenario(
    'is in sync again once the answer to a later write lacks it and shows more than was asked for',
    {
      ...KEEPING,
      deployments: [
        {
          name: AGENT,
          source: 'codehost',
          sourceConfig: { build_command: 'make', install_command: 'npm ci' },
        },
      ],
    },
    async (w) => {
      const withURL = (customURL: string) => ({ ...CLEARS, sourceConfig: { customURL } });
      await applyTo(w, withURL('https://a.example.com'));
      expect(w.condition('Synced')).toBe('False/FieldNotClearable');
      w.editAtService('source_config.build_command', null);
      await w.pass(60);
      w.apply(withURL('https://b.example.com'));
      await w.pass(200);
      expect(w.bodies()).toHaveLength(2);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  for (const patchEcho of ['post', 'pre', 'partial'] as const)
    for (const first of [CLEARS, { ...CLEARS, ...withCPU(4) }])
      judgedScenario(
        `is in sync if the service empties it, whatever answers show (${patchEcho}, ${Object.keys(first).length} members)`,
        emptying(patchEcho),
        async (w) => {
          await applyTo(w, first);
          w.apply({ ...CLEARS, ...withCPU(6) });
          await w.pass(200);
          expect(w.kept().content.sourceConfig).toEqual({ resource_spec: { cpu: 6 } });
          expect(w.condition('Synced')).toBe('True/InSync');
          expect(w.statusStory().filter((status) => status.includes('FieldNotClearable'))).toEqual([]);
        },
      );
});
