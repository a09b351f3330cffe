import { execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync, statSync, symlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { deploymentYaml, secretYaml } from '../../directory/support/manifests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { AGENT, type Applied, CREATED, given, NEWER, writes } from '../support/applied.ts';
import { type CommandRun, run } from '../support/terminal.ts';

const NEWEST = 'registry.example.com/agent:3';
const TOKEN = 'the-token-of-the-agent';
const SECRETS =
  '  secretsOwnership: Exclusive\n  secrets:\n  - {name: TOKEN, valueFrom: {secretKeyRef: {name: creds, key: token}}}\n';

const files = {
  'a.yaml': deploymentYaml('agent', { image: NEWER, spec: SECRETS }),
  'b.yaml': deploymentYaml('fresh', { spec: CREATED }),
  'creds.yaml': secretYaml('creds', { token: TOKEN }),
};
const seeds = [{ ...AGENT, secrets: [{ name: 'OTHER', value: 'a-value-over-there' }] }];

const fileOf = ({ folder }: Applied): string => `${folder.path}.plan.json`;

/** Creates a folder whose plan was saved and reviewed. */
async function reviewed(): Promise<Applied> {
  const applied = await given(files, { seeds });
  const { code } = await run(['plan', '-f', applied.folder.path, '--out', fileOf(applied)]);
  expect(code).toBe(2);
  return applied;
}

const applyPlan = (applied: Applied): Promise<CommandRun> => applied.apply('--plan', fileOf(applied));

async function refused(applied: Applied): Promise<string> {
  const { code, err } = await applyPlan(applied);
  expect(code).toBe(1);
  expect(writes(applied)).toEqual([]);
  return err;
}

async function textOf(applied: Applied): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(fileOf(applied), 'utf8');
}

async function rewrite(applied: Applied, change: (text: string) => string): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(fileOf(applied), change(await textOf(applied)));
}

describe('plan --out', () => {
  it('refuses a cluster, since apply sends the plan without one', async () => {
    const applied = await given(files, { seeds });
    const words = ['plan', '-f', applied.folder.path, '--out', fileOf(applied), '--context', 'other'];
    const { code, err } = await run(words);
    expect([code, err]).toEqual([
      64,
      expect.stringContaining('--out: saves a plan for apply, which works without a cluster;'),
    ]);
    expect(existsSync(fileOf(applied))).toBe(false);
  });

  it('does not replace a link, and writes to a pipe', async () => {
    const [{ folder }, out] = [await given(files, { seeds }), temporaryFolder()];
    symlinkSync('to-be', out.at('link'));
    const link = await run(['plan', '-f', folder.path, '--out', out.at('link')]);
    expect([link.code, link.err]).toEqual([
      1,
      `dms-operator: ${out.at('link')} is a link, and only a regular file is replaced; name another\n`,
    ]);
    expect(lstatSync(out.at('link')).isSymbolicLink()).toBe(true);
    execFileSync('mkfifo', [out.at('pipe')]);
    const reader = spawn('cat', [out.at('pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const read = text(reader.stdout);
    const end = await run(['plan', '-f', folder.path, '--out', out.at('pipe')]);
    expect(end.err).toBe('');
    expect(JSON.parse(await read)).toMatchObject({ formatVersion: 1 });
    expect(lstatSync(out.at('pipe')).isFIFO()).toBe(true);
  });
});

describe('plan --out without a place for its key', () => {
  it('reports that there is no folder for the key', async () => {
    const { folder } = await given(files, { seeds });
    const { code, err } = await run(['plan', '-f', '-', '--out', folder.at('plan')], {
      stdin: folder.read('a.yaml'),
    });
    expect([code, err]).toEqual([
      1,
      'dms-operator: standard input has no folder where the state could be kept; name a --state file\n',
    ]);
  });

  it.each([
    { what: '.dms-operator', why: 'this failed with EEXIST' },
    { what: '.dms-operator/state.json.key.new/x', why: 'this failed with ERR_FS_EISDIR' },
  ])('names the path of the key if $what is in its way', async ({ what, why }) => {
    const [{ folder }, out] = [await given(files, { seeds }), temporaryFolder()];
    folder.write(what, '');
    const { code, err } = await run(['plan', '-f', folder.path, '--out', out.at('plan')]);
    expect([code, err]).toEqual([
      1,
      `dms-operator: ${folder.at('.dms-operator/state.json.key')}: the state cannot be kept here: ${why}; give a --state file elsewhere\n`,
    ]);
  });
});

describe('apply --plan', () => {
  it('sends exactly what was reviewed, including creations, without a question', async () => {
    const applied = await reviewed();
    expect(await textOf(applied)).not.toContain(TOKEN);
    expect(statSync(fileOf(applied)).mode & 0o777).toBe(0o600);
    expect((await applyPlan(applied)).code).toBe(0);
    expect(writes(applied).toSorted()).toEqual(['create', 'patch']);
    const again = await applyPlan(applied);
    expect(again.err).toContain('nothing was sent, since this is not what was reviewed: ');
    expect(again.err).toContain('team-a/agent: nothing would be sent any more, or it is held');
  });

  it('refuses if a manifest has changed since', async () => {
    const applied = await reviewed();
    applied.folder.write('a.yaml', deploymentYaml('agent', { image: NEWEST, spec: SECRETS }));
    expect(await refused(applied)).toContain(
      'team-a/agent: what would be sent, or what the service shows, has changed',
    );
  });

  it('refuses if a secret has changed since, even if the names are the same', async () => {
    const applied = await reviewed();
    applied.folder.write('creds.yaml', secretYaml('creds', { token: 'another-token-of-it' }));
    expect(await refused(applied)).toContain('team-a/agent: what would be sent');
  });

  it('refuses if somebody has changed the service since', async () => {
    const applied = await reviewed();
    applied.service.act({
      ...{ kind: 'edit', deployment: 'agent', path: 'source_revision_config.image_uri', value: 'by/hand:1' },
    });
    expect(await refused(applied)).toContain('team-a/agent: what would be sent, or what the service shows');
  });

  it.each([
    ['', []],
    [', with --yes', ['--yes']],
  ])('holds back a change that somebody makes at the service between two writes%s', async (_, words) => {
    const names = ['a', 'b', 'c'];
    const applied = await given(
      Object.fromEntries(names.map((name) => [`${name}.yaml`, deploymentYaml(name, { image: NEWER })])),
      { seeds: names.map((name) => ({ ...AGENT, name })) },
    );
    await run(['plan', '-f', applied.folder.path, '--out', fileOf(applied)]);
    const path = 'source_revision_config.image_uri';
    applied.service.actions.add({
      ...{ match: { operation: 'patch', deployment: 'a' }, when: 'after' },
      action: { kind: 'edit', deployment: 'b', path, value: 'by/hand:1' },
    });
    const { code, out } = await applied.apply('--plan', fileOf(applied), ...words);
    expect(out).toContain(
      'team-a/b: held, AwaitingApproval: this is not what was reviewed: what would be sent, or what the service shows, has changed; plan again',
    );
    expect(code).toBe(3);
    const images = applied.service.deployments().map(({ content }) => content.revisionConfig['image_uri']);
    expect(images).toEqual([NEWER, 'by/hand:1', NEWER]);
  });

  it('refuses a change that the plan lacks', async () => {
    const applied = await reviewed();
    applied.folder.write('c.yaml', deploymentYaml('other', { spec: CREATED }));
    expect(await refused(applied)).toContain(
      'team-a/other: something would be sent, and nothing was when the plan was made',
    );
  });

  it('refuses a plan made with --prune if it runs without --prune, and says so', async () => {
    const owned = { 'a.yaml': deploymentYaml('agent', { spec: '  deletionPolicy: Delete\n' }) };
    const applied = await given(owned);
    expect((await applied.apply()).code).toBe(0);
    applied.folder.remove('a.yaml');
    await run(['plan', '-f', applied.folder.path, '--prune', '--out', fileOf(applied)]);
    expect(await refused(applied)).toContain(
      'team-a/agent: nothing would be sent any more, or it is held; where plan had --prune or --send-secrets, apply needs it as well',
    );
    expect((await applied.apply('--plan', fileOf(applied), '--prune')).code).toBe(0);
    expect(writes(applied)).toEqual(['delete']);
  });

  it('refuses another service', async () => {
    const [applied, other] = [await reviewed(), await given({}, { seeds })];
    applied.folder.write('connection.yaml', other.folder.read('connection.yaml'));
    expect(await refused(applied)).toMatch(/team-a\/agent: its connection leads to http:\S+ now/);
    expect(writes(other)).toEqual([]);
  });

  it.each([
    [
      'was edited by hand',
      (text: string) => text.replace('"Update"', '"Delete"'),
      /it was changed after it was saved/,
    ],
    [
      'is of another release',
      (text: string) => text.replace('dms-operator 0', 'dms-operator 9'),
      /made it, and this is/,
    ],
    [
      'is of another format',
      (text: string) => text.replace('"formatVersion": 1', '"formatVersion": 9'),
      /its format/,
    ],
    ['is something else', () => '{}', /it is no plan that was saved/],
    ['is half a plan', () => '{"formatVersion": 1, "seal": 5, "writes": 7}', /it is no plan that was saved/],
    [
      'names a program with characters that a terminal would obey',
      (text: string) => text.replace('dms-operator 0', '\\u001b]0;dms-operator 9'),
      /cannot be applied: \S+dms-operator 9\S* made it/,
    ],
    ['is no JSON', () => 'text', /it is no plan that was saved/],
  ] as const)('refuses a file that %s', async (_, change, why) => {
    const applied = await reviewed();
    await rewrite(applied, change);
    expect(await refused(applied)).toMatch(why);
  });

  it('refuses the plan of another folder, and a missing file', async () => {
    const [applied, other] = [await reviewed(), await reviewed()];
    const { code, err } = await applied.apply('--plan', fileOf(other));
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('it was made for another folder or with another state'),
    ]);
    expect((await applied.apply('--plan', '/nowhere/plan.json')).err).toContain(
      '/nowhere/plan.json: the plan cannot be read (ENOENT)',
    );
    expect(writes(applied)).toEqual([]);
  });
});
