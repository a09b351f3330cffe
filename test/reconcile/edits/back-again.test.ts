import { describe, expect } from 'vitest';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const A = 'https://a.example.com';
const B = 'https://b.example.com';
const TOKEN = 'value-of-the-token';

describe('an edit that takes the edit before it back', () => {
  for (const [how, other] of [
    ['another value', { sourceConfig: { customURL: B } }],
    ['no value', { clear: ['sourceConfig.customURL'] }],
  ] as const)
    scenario(
      `is not carried out because an old list still shows the first value, after ${how} was sent`,
      {
        deployments: [{ name: AGENT, sourceConfig: { custom_url: A } }],
        semantics: { patchEcho: 'pre', listLag: { seconds: 20 } },
      },
      async (w) => {
        w.apply({ sourceConfig: { customURL: A }, driftPolicy: 'Report' });
        await w.pass(60);
        w.apply({ ...other, driftPolicy: 'Report' });
        await w.pass(5);
        w.apply({ sourceConfig: { customURL: A }, driftPolicy: 'Report' });
        await w.pass(5);
        expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
        await w.pass(200);
        expect(w.kept().content.sourceConfig).toEqual({ custom_url: A });
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches()).toHaveLength(2);
      },
    );

  scenario(
    'empties a field again, although an old list still shows it as empty',
    {
      deployments: [
        { name: AGENT, sourceConfig: { build_command: 'make' } },
        { name: 'other', sourceConfig: { custom_url: A } },
      ],
      semantics: { patchEcho: 'pre', listLag: { seconds: 20 } },
    },
    async (w) => {
      w.apply({ clear: ['sourceConfig.customURL'] });
      await w.pass(60);
      w.apply({ sourceConfig: { customURL: A } });
      await w.pass(5);
      w.apply({ clear: ['sourceConfig.customURL'] });
      await w.pass(200);
      expect(w.kept().content.sourceConfig).toEqual({ build_command: 'make' });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is not carried out because only the answer to that edit shows the first value',
    {
      deployments: [{ name: AGENT, sourceConfig: { custom_url: A } }],
      semantics: { patchEcho: 'pre', listShape: ['empty-source-config'] },
    },
    async (w) => {
      w.apply({});
      await w.pass(60);
      w.apply({ sourceConfig: { customURL: B } });
      await w.pass(40);
      w.apply({ sourceConfig: { customURL: A } });
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toEqual({ custom_url: A });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  for (const [when, first, then] of [
    ['together with another edit', {}, { buildCommand: 'make' }],
    ['after another edit', { buildCommand: 'make' }, { buildCommand: 'make' }],
  ] as const)
    scenario(
      `is carried out under Report, ${when}`,
      {
        deployments: [{ name: AGENT, sourceConfig: { custom_url: A } }],
        semantics: { patchEcho: 'pre', listLag: { seconds: 20 } },
      },
      async (w) => {
        w.apply({ sourceConfig: { customURL: A }, driftPolicy: 'Report' });
        await w.pass(60);
        w.apply({ sourceConfig: { customURL: B }, driftPolicy: 'Report' });
        await w.pass(3);
        w.apply({ sourceConfig: { customURL: B, ...first }, driftPolicy: 'Report' });
        await w.pass(3);
        w.apply({ sourceConfig: { customURL: A, ...then }, driftPolicy: 'Report' });
        await w.pass(200);
        expect(w.kept().content.sourceConfig).toEqual({ custom_url: A, build_command: 'make' });
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
});

describe('a value that an edit declares', () => {
  scenario(
    'is sent, also under Report, if the write before a crash left it out and emptied it',
    {
      deployments: [{ name: AGENT, sourceConfig: { custom_url: A, build_command: 'make' } }],
      semantics: { nested: { sourceConfig: 'replace' }, listLag: { seconds: 20 } },
    },
    async (w) => {
      w.apply({ sourceConfig: { customURL: A }, driftPolicy: 'Report' });
      await w.pass(60);
      const killed = killAt(w, 'before the answer arrives');
      w.apply({ sourceConfig: { customURL: B }, driftPolicy: 'Report' });
      await w.pass(10);
      expect(killed()).toBe(true);
      w.start();
      // The first lists of the new process still show the command.
      await w.pass(5);
      w.apply({ sourceConfig: { customURL: B, buildCommand: 'make' }, driftPolicy: 'Report' });
      await w.pass(200);
      expect(w.kept().content.sourceConfig).toEqual({ custom_url: B, build_command: 'make' });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  const withImage = (w: World, tag: number, sourceConfig: object): void =>
    w.apply({
      sourceConfig,
      sourceRevisionConfig: { imageURI: `r.example.com/a:${tag}` },
      driftPolicy: 'Report',
    });
  const MADE = {
    name: AGENT,
    sourceConfig: { custom_url: A, build_command: 'make' },
    revisionConfig: { image_uri: 'r.example.com/a:1' },
  };

  for (const patchEcho of ['partial', 'sent-only', 'some-blocks', 'sent-keys'] as const)
    scenario(
      `is sent, also under Report, if the write before emptied it and its answer shows ${patchEcho}`,
      { deployments: [MADE], semantics: { topLevelOmit: 'cleared', patchEcho, listLag: { seconds: 20 } } },
      async (w) => {
        withImage(w, 1, { customURL: A });
        await w.pass(60);
        withImage(w, 2, { customURL: A });
        await w.pass(3);
        withImage(w, 2, { customURL: A, buildCommand: 'make' });
        await w.pass(3);
        w.restart();
        await w.pass(400);
        expect(w.kept().content.sourceConfig['build_command']).toBe('make');
      },
    );

  scenario(
    'is sent, also under Report, if the next write empties it and its answer still shows it',
    {
      deployments: [MADE],
      semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'sent-only', listLag: { seconds: 20 } },
    },
    async (w) => {
      withImage(w, 1, { customURL: A });
      await w.pass(60);
      withImage(w, 2, { customURL: A });
      await w.pass(3);
      w.become({ patchEcho: 'pre' });
      withImage(w, 2, { customURL: B, buildCommand: 'make' });
      await w.pass(3);
      w.restart();
      await w.pass(400);
      expect(w.kept().content.sourceConfig['build_command']).toBe('make');
    },
  );

  for (const [when, then] of [
    ['', undefined],
    [', before a restart', (w: World) => w.restart()],
  ] as const)
    scenario(
      `is sent, also under Report, if the answer to the write that emptied it shows all of the state before${when}`,
      {
        deployments: [MADE],
        semantics: {
          topLevelOmit: 'cleared',
          patchEcho: 'pre',
          listShape: ['empty-source-config'],
          listLag: { seconds: 20 },
        },
      },
      async (w) => {
        w.apply({ driftPolicy: 'Report' });
        await w.pass(60);
        w.apply({ sourceConfig: { customURL: A }, driftPolicy: 'Report' });
        await w.pass(3);
        expect(w.kept().content.revisionConfig).toEqual({});
        then?.(w);
        withImage(w, 1, { customURL: A });
        await w.pass(3);
        expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
        await w.pass(400);
        expect(w.kept().content.revisionConfig).toEqual(MADE.revisionConfig);
      },
    );

  scenario(
    'is in sync as soon as a list shows the write that left it out, and is not sent',
    { deployments: [MADE], semantics: { patchEcho: 'pre', listLag: { seconds: 20 } } },
    async (w) => {
      w.apply({ sourceConfig: { customURL: A } });
      await w.pass(60);
      w.apply({ sourceConfig: { customURL: B } });
      await w.pass(3);
      withImage(w, 1, { customURL: B, buildCommand: 'make' });
      await w.pass(3);
      expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
      await w.pass(30);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'is in sync at once if the answer to the write that left it out shows the write and the value',
    { deployments: [MADE], semantics: { listLag: { seconds: 20 } } },
    async (w) => {
      w.apply({ sourceConfig: { customURL: A } });
      await w.pass(60);
      w.apply({ sourceConfig: { customURL: B } });
      await w.pass(3);
      withImage(w, 1, { customURL: B, buildCommand: 'make' });
      await w.pass(3);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(1);
    },
  );

  for (const driftPolicy of ['Report', 'Correct'] as const)
    scenario(
      `is sent after a restart under ${driftPolicy}, although an old list still shows what the spec asks for again`,
      { deployments: [MADE], semantics: { listLag: { seconds: 20 } } },
      async (w) => {
        w.apply({ sourceConfig: { customURL: A }, driftPolicy });
        await w.pass(120);
        w.apply({ sourceConfig: { customURL: B }, driftPolicy });
        await w.pass(5);
        w.restart();
        w.apply({ sourceConfig: { customURL: A }, driftPolicy });
        await w.pass(2);
        expect(w.condition('Synced')).toBe('Unknown/Sent');
        await w.pass(200);
        expect(w.kept().content.sourceConfig['custom_url']).toBe(A);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches()).toHaveLength(2);
      },
    );

  scenario(
    'is sent after the window, also under Report, if only the answer to a write that left it out showed it',
    { deployments: [MADE], semantics: { listShape: ['empty-source-config'] } },
    async (w) => {
      w.apply({ sourceConfig: { customURL: A } });
      await w.pass(120);
      w.apply({ sourceConfig: { customURL: B } });
      await w.pass(3);
      withImage(w, 1, { customURL: B, buildCommand: 'make' });
      await w.pass(400);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.bodies().at(-1)).toEqual({ source_config: { build_command: 'make' } });
    },
  );

  scenario(
    'is in sync only once a list shows the write that left it out, also if it is a secret',
    {
      deployments: [
        { name: AGENT, sourceConfig: { custom_url: A }, secrets: [{ name: 'API_TOKEN', value: TOKEN }] },
      ],
      semantics: { topLevelOmit: 'cleared', patchEcho: 'sent-only', listLag: { seconds: 20 } },
    },
    async (w) => {
      const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
      w.putSecret('agent-secrets', { token: TOKEN });
      w.apply({ sourceConfig: { customURL: A } });
      await w.pass(60);
      w.apply({ sourceConfig: { customURL: B } });
      await w.pass(3);
      w.apply({ sourceConfig: { customURL: B }, secrets: [{ name: 'API_TOKEN', valueFrom }] });
      await w.pass(3);
      expect(w.state()).not.toContain('InSync');
      await w.pass(400);
      expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: TOKEN }]);
      expect(w.state()).toContain('True/InSync');
    },
  );
});
