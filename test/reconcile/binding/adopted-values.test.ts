import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const REVISION = { image_uri: 'registry.example.com/agent:1', graph_config_path: 'theirs.json' };

describe('a first write that declares a value which the deployment has and lists hide', () => {
  scenario(
    'restores what it emptied, although its answer shows that value and all others',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { build_command: 'make', custom_url: 'https://theirs.example.com' },
          revisionConfig: REVISION,
        },
      ],
      semantics: { patchEcho: 'pre', topLevelOmit: 'cleared', listShape: ['no-commands'] },
    },
    async (w) => {
      w.apply({ sourceConfig: { buildCommand: 'make' } });
      await w.pass(300);
      expect(w.kept().content.revisionConfig).toMatchObject(REVISION);
      expect(w.kept().content.sourceConfig).toMatchObject({ build_command: 'make' });
    },
  );
});
