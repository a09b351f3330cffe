import { describe } from 'vitest';
import { judgedScenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const THEIRS = {
  name: AGENT,
  sourceConfig: {
    install_command: 'npm ci',
    custom_url: 'https://agent.example.com',
    resource_spec: { memory_mb: 512, service_account_name: 'theirs', labels: { team: 'theirs' } },
  },
  revisionConfig: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'theirs.json' },
};

const FIRST = {
  'a redeploy': (w: World) => w.annotate('redeploy', 'first'),
  'an edit': (w: World) => w.apply({ sourceConfig: { buildCommand: 'make one' } }),
};

const SECOND = {
  'an edit of the resource spec': (w: World) =>
    w.apply({ sourceConfig: { resourceSpec: { volumes: [{ name: 'a' }] } } }),
  'a redeploy': (w: World) => w.annotate('redeploy', 'second'),
};

describe('a list that shows the first of two writes, both of which empty what they leave out,', () => {
  for (const [first, doFirst] of Object.entries(FIRST))
    for (const [second, doSecond] of Object.entries(SECOND))
      for (const [lag, listLag] of [
        ['two reads', { reads: 2 }],
        ['20 seconds', { seconds: 20 }],
      ] as const)
        judgedScenario(
          `makes no repair empty what the second carried: ${first}, then ${second}, with a lag of ${lag}`,
          {
            deployments: [THEIRS],
            semantics: {
              ...{ topLevelOmit: 'cleared', patchEcho: 'pre', listLag, trigger: 'always' },
              nested: { sourceConfig: 'replace', revisionConfig: 'replace' },
            },
          },
          async (w) => {
            w.apply({});
            await w.pass(100);
            doFirst(w);
            await w.pass(18);
            doSecond(w);
            await w.pass(400);
          },
        );
});
