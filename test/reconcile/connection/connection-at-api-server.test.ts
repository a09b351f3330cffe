import { describe, expect } from 'vitest';
import { FailureError } from '../../../src/model/connection/failure.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, NAMESPACE } from '../support/world.ts';

const KEY = { kind: 'Connection', namespace: NAMESPACE, name: 'default' } as const;
const IMAGE = 'registry.example.com/agent:1';
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: IMAGE } }],
  connection: {
    headers: [
      { name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'service-credentials', key: 'key' } } },
    ],
  },
};

describe('a connection', () => {
  scenario(
    'keeps its status while the API server cannot return its Secret, and soon reads it again',
    GIVEN,
    async (w) => {
      w.putSecret('service-credentials', { key: 'the-old-credential' });
      w.apply({ sourceRevisionConfig: { imageURI: IMAGE } });
      await w.pass(30);
      expect(w.connectionState()).toBe('True/Ok');
      w.become({ auth: { kind: 'header', name: 'X-Api-Key', value: 'the-new-credential' } });
      w.secrets.failure = () =>
        new FailureError('GET Secret: 503', { kind: 'transient', reason: 'Retrying', sent: 'no' });
      const { statusWrites } = w.connections;
      w.putSecret('service-credentials', { key: 'the-new-credential' });
      await w.pass(10);
      expect(w.connections.statusWrites).toBe(statusWrites);
      expect(w.connectionState()).toBe('True/Ok');
      expect(w.state()).toBe('True/InSync True/Active');
      w.secrets.failure = undefined;
      await w.pass(120);
      expect(w.connectionState()).toBe('True/Ok');
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.events.reasons()).not.toContain('ProtocolError');
    },
  );

  scenario(
    'reports that the controller may not read its Secret, and works soon after access is granted',
    GIVEN,
    async (w) => {
      w.putSecret('service-credentials', { key: 'a-credential' });
      w.secrets.failure = ({ name }) =>
        new FailureError(`Secret team-a/${name} may not be read by the controller: 403`, {
          kind: 'transient',
          reason: 'SecretMissing',
          sent: 'no',
        });
      w.apply({ sourceRevisionConfig: { imageURI: IMAGE } });
      await w.pass(900);
      expect(w.connectionState()).toBe('False/SecretMissing');
      const ready = w.connectionStatus().conditions?.find(({ type }) => type === 'Ready');
      expect(ready?.message).toBe('Secret team-a/service-credentials may not be read by the controller: 403');
      expect(w.events.reasons(), 'told once').toEqual(['SecretMissing']);
      expect(w.service.log.requests()).toEqual([]);
      w.secrets.failure = undefined;
      await w.pass(330);
      expect(w.connectionState()).toBe('True/Ok');
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('reports Suspended before any other problem', GIVEN, async (w) => {
    await w.pass(5);
    expect(w.connectionState()).toBe('False/SecretMissing');
    w.connect({ ...GIVEN.connection, suspend: true });
    await w.pass(5);
    expect(w.connectionState()).toBe('False/Suspended');
    expect(w.service.log.requests()).toEqual([]);
    w.putSecret('service-credentials', { key: 'a-credential' });
    w.connect(GIVEN.connection);
    await w.pass(5);
    expect(w.connectionState()).toBe('True/Ok');
  });

  scenario(
    'is checked again soon when another client wrote its status meanwhile',
    { started: false },
    async (w) => {
      w.moments.arriving = async () => {
        w.moments.arriving = undefined;
        const connection = w.connections.peek(KEY);
        if (connection !== undefined) await w.connections.saveStatus(connection, { observedGeneration: 0 });
      };
      w.start();
      await w.pass(30);
      expect(w.connectionState()).toBe('True/Ok');
    },
  );
});
