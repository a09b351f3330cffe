import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

describe('a value of the resource spec that lists showed as sent, and that somebody changes within the window,', () => {
  for (const patchEcho of ['pre', 'post'] as const)
    scenario(
      `is corrected although a push makes a revision then, if the answer is ${patchEcho}`,
      {
        deployments: [
          {
            ...{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } },
            sourceConfig: { repo_url: 'https://h/x', resource_spec: { labels: { team: 'theirs' } } },
          },
        ],
        semantics: { patchEcho, revisionFor: 'revision-config' },
      },
      async (w) => {
        w.apply({ source: 'codehost', sourceConfig: { resourceSpec: { labels: { tier: 'one' } } } });
        await w.pass(45);
        w.editAtService('source_config.resource_spec.labels.tier', 'two');
        w.service.act({ kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true });
        await w.pass(300);
        expect(w.kept().content.sourceConfig['resource_spec']).toEqual({
          labels: { team: 'theirs', tier: 'one' },
        });
        expect(w.patches()).toHaveLength(2);
      },
    );
});
