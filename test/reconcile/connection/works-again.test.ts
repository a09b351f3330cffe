import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const LIVE = {
  revisionConfig: { image_uri: 'r.example.com/agent:0' },
  sourceConfig: { build_command: 'make' },
};
const GIVEN = {
  deployments: [
    { ...LIVE, name: AGENT },
    { ...LIVE, name: 'other' },
  ],
};
const EDIT = { sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' } };

describe('a connection that works again', () => {
  scenario(
    'is no reason to wait any more for a resource that waits for the first write to another deployment',
    GIVEN,
    async (w) => {
      const refused = { kind: 'status', status: 401 } as const;
      w.fault(refused, { match: { operation: 'list' }, times: 2 });
      w.apply(EDIT);
      w.apply(EDIT, 'other');
      await w.pass(30);
      expect(w.connectionState()).toBe('False/AuthFailed');
      expect(w.condition('Synced', 'other')).toBe('Unknown/ConnectionNotReady');
      w.fault({ kind: 'status', status: 503 });
      for (let s = 0; s < 900 && w.patches().length === 0; s++) await w.pass(1);
      await w.pass(15);
      expect(w.connectionState()).toBe('True/Ok');
      expect(w.patches()).toHaveLength(1);
      const waiting = [AGENT, 'other'].map((name) => w.condition('Synced', name));
      expect(waiting).toContain('Unknown/Pending');
      expect(waiting).not.toContain('Unknown/ConnectionNotReady');
      await w.pass(300);
      for (const name of [AGENT, 'other']) expect(w.state(name)).toBe('True/InSync True/Active');
    },
  );
});
