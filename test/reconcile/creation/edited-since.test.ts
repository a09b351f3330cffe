import { expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

function declare(w: World, cpu: number): void {
  w.apply({
    source: 'internal_container',
    creation: { policy: 'IfMissing' },
    sourceConfig: { resourceSpec: { cpu } },
    sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
  });
}

scenario(
  'a value that another client sets within the window of a creation is kept by the next write',
  { deployments: [], semantics: { nested: { resourceSpec: 'replace' } } },
  async (w) => {
    declare(w, 1);
    await w.pass(10);
    w.editAtService('source_config.resource_spec.memory_mb', 2048);
    await w.pass(15);
    declare(w, 2);
    await w.pass(300);
    expect(w.kept(AGENT).content.sourceConfig['resource_spec']).toEqual({ cpu: 2, memory_mb: 2048 });
    expect(w.patches()).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
  },
);
