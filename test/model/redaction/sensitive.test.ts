import { describe, expect, test } from 'vitest';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { sensitiveIn, withoutSensitive } from '../../../src/model/redaction/sensitive.ts';

const textsIn = (...things: readonly unknown[]): readonly string[] =>
  sensitiveIn(...things).map((value) => value.reveal());

describe('the values that an error may not repeat', () => {
  test('are values of secrets, anywhere', () => {
    expect(textsIn({ secrets: [{ name: 'A', value: new SecretValue('the-value') }, { name: 'B' }] })).toEqual(
      ['the-value'],
    );
  });

  test('are values of container environments, including free-form additions', () => {
    const env = [
      { name: 'DB_PASSWORD', value: 'hunter2-credential' },
      { name: 'REFERENCE', valueFrom: { secretKeyRef: { name: 'agent', key: 'key' } } },
    ];
    const things = [
      { sourceConfig: { resourceSpec: { fields: { sidecars: [{ name: 's', env }] } } } },
      { extra: { source_config: { resource_spec: { init_containers: [{ env }] } } } },
    ];
    expect(textsIn(...things)).toEqual(['hunter2-credential', 'hunter2-credential']);
  });

  test('are commands, but not short words', () => {
    const fields = { buildCommand: 'npm ci --token=abc', installCommand: 'make' };
    const sidecars = [{ command: ['/bin/sh', '-c'], args: ['serve --key=abc'] }];
    expect(textsIn({ fields, sidecars })).toEqual(['npm ci --token=abc', 'serve --key=abc']);
  });

  test('are login and query of a URL, and nothing else of it', () => {
    expect(textsIn({ repoURL: 'https://user:token@code.example.com/a.git?key=abc#part' })).toEqual([
      'user:token',
      'user',
      'token',
      'key=abc',
    ]);
    expect(textsIn({ customURL: 'https://a.example.com/?', imageURI: 'registry/agent@sha256:1' })).toEqual(
      [],
    );
  });

  test('are not names, images, labels or an env that is not a list', () => {
    const fields = { labels: { env: 'production' }, imageURI: 'registry.example.com/agent:1', cpu: 1 };
    expect(textsIn({ name: 'agent', fields })).toEqual([]);
  });
});

describe('a request in readable form', () => {
  test('hides values of secrets and environments, commands, logins and queries, and keeps the rest', () => {
    const sent = {
      source_config: {
        repo_url: 'https://user:token@code.example.com/a.git?key=abc#part',
        install_command: 'make',
        resource_spec: {
          cpu: 1,
          labels: { env: 'production' },
          sidecars: [{ name: 's', args: ['serve', '--key=abc'], env: [{ name: 'A', value: 'the-value' }] }],
        },
      },
      secrets: [{ name: 'TOKEN', value: 'the-token' }],
      note: 'repeats the-token',
    };
    const shown = withoutSensitive(sent, (text) => text.replaceAll('the-token', '[known]'));
    expect(shown).toEqual({
      source_config: {
        repo_url: 'https://[redacted]@code.example.com/a.git?[redacted]#part',
        install_command: '[redacted]',
        resource_spec: {
          cpu: 1,
          labels: { env: 'production' },
          sidecars: [
            { name: 's', args: ['[redacted]', '[redacted]'], env: [{ name: 'A', value: '[redacted]' }] },
          ],
        },
      },
      secrets: [{ name: 'TOKEN', value: '[redacted]' }],
      note: 'repeats [known]',
    });
  });

  test('hides what looks like a credential wherever it is, and leaves names of references alone', () => {
    const declared = {
      annotations: { 'team/api-token': 'abc', note: 'git clone https://u:hunter2@host/x', owner: 'team-a' },
      labels: { tier: 'gold' },
      sourceConfig: {
        resourceSpec: { sidecars: [{ name: 's', image: 'r/a:1', env: [{ name: 'LEVEL', value: 'x' }] }] },
      },
      note: 'TOKEN=hunter2 make',
      secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent', key: 'token' } } }],
    };
    expect(withoutSensitive(declared)).toEqual({
      annotations: { 'team/api-token': '[redacted]', note: '[redacted]', owner: 'team-a' },
      labels: { tier: 'gold' },
      sourceConfig: {
        resourceSpec: {
          sidecars: [{ name: 's', image: 'r/a:1', env: [{ name: 'LEVEL', value: '[redacted]' }] }],
        },
      },
      note: '[redacted]',
      secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent', key: 'token' } } }],
    });
  });
});
