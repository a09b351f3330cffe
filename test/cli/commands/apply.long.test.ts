import { existsSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectionYaml, deploymentYaml, together } from '../../directory/support/manifests.ts';
import { connectionTo } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CREATED, given, lastLine, NEWER, writes } from '../support/applied.ts';
import { recording } from '../support/recording.ts';
import { run } from '../support/terminal.ts';

describe('apply', () => {
  it('sends a difference once, and nothing the next time', async () => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER }) });
    expect(await applied.apply()).toMatchObject({ code: 0, err: '' });
    expect(applied.service.shown('agent')).toMatchObject({
      source_revision_config: { image_uri: NEWER },
    });
    expect(await applied.apply()).toMatchObject({ code: 0, err: '' });
    expect(writes(applied)).toEqual(['patch']);
  });

  it('says what to add if the files lack the connection', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    const { out, code } = await run(['apply', '-f', folder.at('a.yaml')]);
    expect(out).toContain(
      'ConnectionNotFound: there is no Connection default and there is no ClusterConnection default; give its manifest with -f as well\n',
    );
    expect(code).toBe(1);
  });

  it('ends with --wait when the newest revision is active', async () => {
    const applied = await given(
      { 'a.yaml': deploymentYaml('agent', { image: NEWER }) },
      { semantics: { rollout: { kind: 'after', seconds: 2 } } },
    );
    expect((await applied.apply()).code).toBe(0);
    const early = applied.service.shown('agent');
    expect(early?.['active_revision_id']).not.toBe(early?.['latest_revision_id']);
    expect((await applied.apply('--wait')).code).toBe(0);
    const late = applied.service.shown('agent');
    expect(late?.['active_revision_id']).toBe(late?.['latest_revision_id']);
  });

  it.each([
    { driftPolicy: 'Correct', code: 2 },
    { driftPolicy: 'Report', code: 0 },
  ])(
    'is followed by a plan that reports a change that somebody made right after it: $driftPolicy',
    async ({ driftPolicy, code }) => {
      const spec = `  driftPolicy: ${driftPolicy}\n`;
      const { folder, service, apply } = await given({
        'a.yaml': deploymentYaml('agent', { image: NEWER, spec }),
      });
      expect((await apply()).code).toBe(0);
      service.act({
        kind: 'edit',
        deployment: 'agent',
        path: 'source_revision_config.image_uri',
        value: 'x:9',
      });
      const plan = await run(['plan', '-f', folder.path]);
      expect(plan.out).toContain('changed at the service soon after our write');
      expect(plan.out).toContain(
        'drift: changed at the service since it was applied: sourceRevisionConfig.imageURI\n',
      );
      expect(plan.code).toBe(code);
    },
  );

  it('is followed by a plan that reports no drift if the list lags', async () => {
    const applied = await given(
      { 'a.yaml': deploymentYaml('agent', { image: NEWER }) },
      { semantics: { listLag: { reads: 50 } } },
    );
    const { folder, apply } = applied;
    await apply('--timeout', '5s');
    expect(writes(applied)).toEqual(['patch']);
    const plan = await run(['plan', '-f', folder.path]);
    expect(plan.out).not.toContain('drift');
    expect(plan.code).toBe(0);
  });

  it('ends with 3 on a timeout, and continues the next time', async () => {
    const applied = await given(
      { 'a.yaml': deploymentYaml('agent', { image: NEWER }) },
      { semantics: { rollout: { kind: 'after', seconds: 3600 } } },
    );
    const { code, out } = await applied.apply('--wait', '--timeout', '2s');
    expect({ code, last: lastLine(out) }).toEqual({ code: 3, last: '0 settled, 1 waiting' });
    expect(out).toContain('team-a/agent: waiting, RolloutInProgress: ');
    expect((await applied.apply()).code).toBe(0);
    expect(writes(applied)).toEqual(['patch']);
  });

  it('ends with 1 for an error that only a person can fix, after everything else is done', async () => {
    const applied = await given({
      'a.yaml': deploymentYaml('agent', { image: NEWER }),
      'b.yaml': deploymentYaml('missing'),
    });
    const { code, out } = await applied.apply();
    expect({ code, last: lastLine(out) }).toEqual({ code: 1, last: '1 settled, 1 failed' });
    expect(out).toContain('team-a/missing: failed, NotFound: ');
    expect(writes(applied)).toEqual(['patch']);
  });

  it.each([
    {
      name: 'a plan that waits for approval',
      more: { spec: '  approval: Manual\n' },
      says: 'AwaitingApproval',
    },
    {
      name: 'a resource that is paused',
      more: { annotations: '{dms-operator.dev/paused: "true"}' },
      says: 'Paused',
    },
  ])('ends with 3 at once for $name', async ({ more, says }) => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER, ...more }) });
    const { code, out } = await applied.apply();
    expect({ code, last: lastLine(out) }).toEqual({ code: 3, last: '0 settled, 1 held' });
    expect(out).toContain(`team-a/agent: held, ${says}: `);
    expect(writes(applied)).toEqual([]);
  });

  it('sends nothing and creates no state if one manifest has an error', async () => {
    const applied = await given({
      'a.yaml': deploymentYaml('agent', { image: NEWER }),
      'b.yaml': deploymentYaml('b').replace('source:', 'sorce:'),
    });
    const { code, out, err } = await applied.apply('--yes');
    expect({ code, out, last: lastLine(err) }).toEqual({
      code: 1,
      out: '',
      last: 'dms-operator: the manifests have errors: nothing was sent',
    });
    expect(err).toContain('b.yaml:8:3: spec.sorce: ');
    expect(applied.service.log.requests()).toEqual([]);
    expect(existsSync(applied.folder.at('.dms-operator'))).toBe(false);
  });

  it('does not wait for Secrets and connections that the manifests lack', async () => {
    const spec = '  secrets:\n  - {name: T, valueFrom: {secretKeyRef: {name: creds, key: token}}}\n';
    const applied = await given({
      'a.yaml': deploymentYaml('agent', { spec }),
      'b.yaml': deploymentYaml('b', { namespace: 'team-b' }),
    });
    const { code, out } = await applied.apply();
    expect(code).toBe(1);
    expect(out).toContain('team-a/agent: failed, SecretMissing: ');
    expect(out).toContain('team-b/b: failed, ConnectionNotFound: ');
  });

  it.each([
    {
      name: 'cannot be reached',
      baseURL: 'http://127.0.0.1:9',
      says: /failed, ConnectionNotReady: .*cannot be used/,
    },
    { name: 'refuses the credential', status: 401, says: /failed, ConnectionNotReady: .*AuthFailed/ },
  ])('ends with 1 at once if the service $name', async ({ baseURL, status, says }) => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent') });
    if (baseURL !== undefined) applied.folder.write('connection.yaml', connectionTo(baseURL));
    if (status !== undefined)
      applied.service.faults.add({ match: {}, fault: { kind: 'status', status }, times: 0 });
    const { code, out } = await applied.apply();
    expect({ code, last: lastLine(out) }).toEqual({ code: 1, last: '0 settled, 1 failed' });
    expect(out).toMatch(says);
  });

  it('reads standard input, and keeps its state in the given file', async () => {
    const applied = await given({});
    const stdin = together(applied.folder.read('connection.yaml'), deploymentYaml('agent', { image: NEWER }));
    const state = temporaryFolder().at('state.json');
    expect(await run(['apply', '-f', '-'], { stdin })).toMatchObject({
      code: 1,
      err: 'dms-operator: standard input has no folder where the state could be kept; name a --state file\n',
    });
    expect(await run(['apply', '-f', '-', '--state', state], { stdin })).toMatchObject({ code: 0, err: '' });
    expect(writes(applied)).toEqual(['patch']);
    expect(existsSync(state)).toBe(true);
  });

  it('names a damaged state file, and starts again without it, sending nothing', async () => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER }) });
    expect((await applied.apply()).code).toBe(0);
    const state = applied.folder.at('.dms-operator/state.json');
    applied.folder.write(
      '.dms-operator/state.json',
      applied.folder.read('.dms-operator/state.json').slice(0, 80),
    );
    expect(await applied.apply()).toEqual({
      code: 1,
      out: '',
      err: `dms-operator: ${state}: the state file is damaged; restore a copy, or move it away to begin with no remembered status\n`,
    });
    renameSync(state, `${state}.damaged`);
    expect((await applied.apply()).code).toBe(0);
    expect(writes(applied)).toEqual(['patch']);
  });

  it('names no host that --allow-hosts leaves out', async () => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER }) });
    const { code, out } = await applied.apply('--allow-hosts', 'api.example.com');
    expect(code).toBe(1);
    expect(out).toContain('HostNotAllowed');
    expect(applied.service.log.requests()).toEqual([]);
    expect(await applied.apply('--allow-hosts', 'https://x')).toMatchObject({
      code: 64,
      err: expect.stringMatching(/^dms-operator: --allow-hosts: "https:\/\/x" is not a host/) as string,
    });
  });

  it.each([
    { words: ['-f', '$/none'], says: /none: there is no such file or folder/ },
    { words: ['-f', '$'], says: /there are no manifests of dms-operator here/ },
    { words: ['-f', '$', '--timeout', 'soon'], says: /--timeout.*'soon'.*such as 90s, 10m or 1h/, code: 64 },
    { words: [], says: /--filename <path...>' not specified/, code: 64 },
  ])('explains what is wrong with $words', async ({ words, says, code = 1 }) => {
    const folder = temporaryFolder();
    const result = await run(['apply', ...words.map((word) => word.replace('$', folder.path))]);
    expect(result).toMatchObject({ code, out: '', err: expect.stringMatching(says) as string });
    expect(result.err).not.toMatch(/\n\s+at /);
  });
});

describe('a recording of apply', () => {
  const words = ['--wait', '--timeout', '20s'];

  it.each([
    { name: 'apply', files: { 'a.yaml': deploymentYaml('agent', { image: NEWER }) } },
    {
      name: 'apply-asks',
      files: {
        'a.yaml': deploymentYaml('agent', { image: NEWER }),
        'b.yaml': deploymentYaml('fresh', { spec: CREATED }),
      },
    },
    {
      name: 'apply-broken',
      files: { 'a.yaml': deploymentYaml('agent'), 'b.yaml': `${connectionYaml('b')}  polls: {}\n` },
    },
    {
      name: 'apply-held',
      files: { 'a.yaml': deploymentYaml('agent', { image: NEWER, spec: '  approval: Manual\n' }) },
    },
    {
      name: 'apply-json',
      files: { 'a.yaml': deploymentYaml('agent', { image: NEWER }) },
      more: ['-o', 'json'],
    },
  ])('is as it was agreed: $name', async ({ name, files, more = [] }) => {
    const { folder } = await given(files, { semantics: { rollout: { kind: 'after', seconds: 2 } } });
    const line = ['apply', '-f', folder.path, ...words, ...more];
    const ended = await run(line);
    if (more.includes('json')) expect(JSON.parse(ended.out)).toMatchObject({ summary: { settled: 1 } });
    const text = recording(line, ended, { [folder.path]: 'manifests' });
    await expect(text).toMatchFileSnapshot(`../golden/${name}.txt`);
  });
});
