import { describe, expect } from 'vitest';
import type { Oversight } from '../../../src/compose/operator/oversight.ts';
import type { HeldBack, WriteOperation } from '../../../src/ports/service/write-gate.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };

/** Holds every write until released, and records each question. */
class Looker implements Oversight {
  readonly asked: WriteOperation[] = [];
  answer: HeldBack | undefined = { kind: 'postponed', againInMs: 5_000 };
  readonly holdUnprovenSecrets = true;
  readonly waitsForRotations = true;
  readonly looksBeforeWriting = (): boolean => false;
  readonly onPass = (): void => undefined;
  readonly gate = {
    holdsBack: (_: unknown, operation: WriteOperation): HeldBack | undefined => {
      this.asked.push(operation);
      return this.answer;
    },
  };
}

const restartWith = (w: World, oversight: Oversight): void => {
  w.kill();
  w.start({ oversight });
};

describe('an approver of requests', () => {
  scenario('holds a PATCH without a trace, and releases it later', {}, async (w) => {
    const looker = new Looker();
    restartWith(w, looker);
    w.apply(IMAGE);
    await w.pass(20);
    expect(looker.asked).toContain('patch');
    expect(w.patches()).toEqual([]);
    expect(w.statusWrites.map(({ after }) => after)).toEqual([]);
    looker.answer = undefined;
    await w.pass(60);
    expect(w.patches()).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('sees a creation, and its reason is reported', { deployments: [] }, async (w) => {
    const looker = new Looker();
    looker.answer = { kind: 'waiting', reason: 'AwaitingApproval', message: 'nobody said yes' };
    restartWith(w, looker);
    w.apply({ ...IMAGE, creation: { policy: 'IfMissing' } });
    await w.pass(20);
    expect(looker.asked).toContain('create');
    expect(w.state()).toBe('False/AwaitingApproval False/AwaitingApproval');
    expect(w.service.log.requests('create')).toEqual([]);
    expect(w.store.list()[0]?.metadata.finalizers ?? []).toEqual([]);
  });

  scenario('is not asked when nothing is to be sent', {}, async (w) => {
    const looker = new Looker();
    restartWith(w, looker);
    w.apply({ sourceRevisionConfig: {} });
    await w.pass(20);
    expect(looker.asked).toEqual([]);
  });
});

const SECRETS = {
  ...IMAGE,
  secretsOwnership: 'Exclusive',
  secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }],
} as const;

const MASKED = {
  deployments: [{ name: AGENT, secrets: [{ name: 'API_TOKEN', value: 'the-value-over-there' }] }],
  semantics: { secretsEcho: 'stars' },
} as const;

describe('secrets without a baseline for comparison', () => {
  scenario('stay, while the rest is sent, and are sent on request', MASKED, async (w) => {
    const looker = new Looker();
    looker.answer = undefined;
    restartWith(w, looker);
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.apply(SECRETS);
    await w.pass(60);
    expect(w.bodies()).toEqual([{ source_revision_config: { image_uri: 'registry.example.com/agent:2' } }]);
    expect(w.state()).toBe('False/SecretVisibilityUnproven False/SecretVisibilityUnproven');
    w.restart();
    await w.pass(60);
    expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-first-token-value' }]);
    restartWith(w, looker);
    w.putSecret('agent-secrets', { token: 'the-second-token-value' });
    await w.pass(60);
    expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-second-token-value' }]);
  });

  scenario('block a request with a full body', MASKED, async (w) => {
    const looker = new Looker();
    looker.answer = undefined;
    w.connect({ patch: { bodies: 'Full' } });
    restartWith(w, looker);
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.apply(SECRETS);
    await w.pass(60);
    expect(w.patches()).toEqual([]);
    expect(w.state()).toBe('False/SecretVisibilityUnproven False/SecretVisibilityUnproven');
  });

  scenario('are adopted as they are on a user’s decision', MASKED, async (w) => {
    const looker = new Looker();
    looker.answer = undefined;
    restartWith(w, looker);
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.apply({ ...SECRETS, sourceRevisionConfig: {} });
    w.annotate('assume-applied', '1');
    await w.pass(60);
    expect(w.patches()).toEqual([]);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});
