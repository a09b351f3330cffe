import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../src/cli/dispatch.ts';
import { deploymentYaml, secretYaml } from '../../directory/support/manifests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recording } from '../support/recording.ts';
import { AGENT, type Applied, CREATED, given, NEWER, writes } from '../support/applied.ts';
import { CTRL_C, MemoryTerminal, run } from '../support/terminal.ts';

describe('apply before a creation or deletion', () => {
  const files = {
    'a.yaml': deploymentYaml('agent', { image: NEWER }),
    'b.yaml': deploymentYaml('fresh', { spec: CREATED }),
  };

  it('sends nothing if there is no terminal to ask on', async () => {
    const applied = await given(files);
    expect(await applied.apply()).toEqual({
      code: 1,
      out: expect.stringContaining('Plan: 1 to create, 1 to update.') as string,
      err: 'dms-operator: this creates 1 deployment (team-a/fresh) and there is nobody to ask: nothing was sent; give --yes to have it done\n',
    });
    expect(writes(applied)).toEqual([]);
    expect((await applied.apply('--yes')).code).toBe(0);
    expect(writes(applied).toSorted()).toEqual(['create', 'patch']);
  });

  it.each([
    { answer: 'y', code: 0, sent: ['create', 'patch'] },
    { answer: '', code: 1, sent: [] },
    { answer: 'n', code: 1, sent: [] },
  ])('asks once, and obeys the answer: $answer', async ({ answer, code, sent }) => {
    const applied = await given(files);
    const terminal = new MemoryTerminal({ answer });
    expect(await dispatch(['apply', '-f', applied.folder.path], 'dms-operator', terminal)).toBe(code);
    expect(terminal.questions).toEqual([
      'this changes 1 deployment (team-a/agent) and creates 1 deployment (team-a/fresh). Go on? [y/N] ',
    ]);
    expect(writes(applied).toSorted()).toEqual(sent);
  });

  it('ends with 130 at Ctrl-C instead of an answer, and has sent nothing', async () => {
    const applied = await given(files);
    const terminal = new MemoryTerminal({ answer: CTRL_C });
    expect(await dispatch(['apply', '-f', applied.folder.path], 'dms-operator', terminal)).toBe(130);
    expect(terminal.errText).toBe('stopping after the requests under way\n');
    expect(writes(applied)).toEqual([]);
  });

  it('asks before --prune deletes, and releases without a question what stays at the service', async () => {
    const owned = '  deletionPolicy: Delete\n';
    const applied = await given(
      {
        'a.yaml': deploymentYaml('agent', { spec: owned }),
        'b.yaml': deploymentYaml('other', { spec: owned }),
        'c.yaml': deploymentYaml('third'),
      },
      { seeds: [AGENT, { ...AGENT, name: 'other' }, { ...AGENT, name: 'third' }] },
    );
    expect((await applied.apply()).code).toBe(0);
    applied.folder.remove('b.yaml');
    applied.folder.remove('c.yaml');
    expect((await applied.apply()).code).toBe(0);
    expect(await applied.apply('--prune')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/this deletes 1 deployment \(team-a\/other\) and there is nobody/) as string,
    });
    expect(writes(applied)).toEqual([]);
    expect((await applied.apply('--prune', '--yes')).code).toBe(0);
    expect(applied.service.deployments().map(({ name }) => name)).toEqual(['agent', 'third']);
    expect((await applied.apply('--prune')).code).toBe(0);
    expect(writes(applied)).toEqual(['delete']);
  }, 30_000);
});

describe('apply --prune and plan --prune', () => {
  it('refuse one file of a folder, since the resources of the others would count as deleted', async () => {
    const owned = '  deletionPolicy: Delete\n';
    const applied = await given(
      {
        'a.yaml': deploymentYaml('agent', { spec: owned }),
        'b.yaml': deploymentYaml('other', { spec: owned }),
      },
      { seeds: [AGENT, { ...AGENT, name: 'other' }] },
    );
    expect((await applied.apply()).code).toBe(0);
    const some = ['-f', applied.folder.at('a.yaml'), '-f', applied.folder.at('connection.yaml'), '--prune'];
    for (const command of [['apply', '--yes'], ['plan']]) {
      const { err, code } = await run([...command, ...some]);
      expect([code, err]).toEqual([
        1,
        `dms-operator: --prune: ${applied.folder.at('a.yaml')} is one of several manifests, and team-a/other of ${applied.folder.at('b.yaml')} would count as gone; name the folder, or a --state file of its own\n`,
      ]);
    }
    applied.folder.write('package.json', '{}');
    const all = [...some, '-f', applied.folder.at('b.yaml')];
    expect((await run(['apply', '--yes', ...all])).code).toBe(0);
    expect(writes(applied)).toEqual([]);
  });
});

describe('apply with masked secrets', () => {
  const spec =
    '  secretsOwnership: Exclusive\n  secrets:\n  - {name: TOKEN, valueFrom: {secretKeyRef: {name: creds, key: token}}}\n';
  const seeds = [{ ...AGENT, secrets: [{ name: 'TOKEN', value: 'the-value-over-there' }] }];
  const files = {
    'a.yaml': deploymentYaml('agent', { image: NEWER, spec }),
    'creds.yaml': secretYaml('creds', { token: 'the-value-of-ours' }),
  };
  const bodies = ({ service }: Applied): unknown =>
    service.log.requests('patch').map(({ body }) => Object.keys(body as object));

  it('sends them only if --send-secrets is given, and later compares with its own record', async () => {
    const applied = await given(files, { seeds, semantics: { secretsEcho: 'stars' } });
    const { code, out } = await applied.apply();
    expect(code).toBe(1);
    expect(out).toContain(
      'failed, SecretVisibilityUnproven: secrets are not sent: nothing proves that TOKEN differ',
    );
    expect(out).toContain('--send-secrets');
    expect(bodies(applied)).toEqual([['source_revision_config']]);
    expect((await applied.apply()).code).toBe(1);
    expect((await applied.apply('--send-secrets')).code).toBe(0);
    expect((await applied.apply()).code).toBe(0);
    expect(bodies(applied)).toEqual([['source_revision_config'], ['secrets']]);
    expect(applied.folder.read('.dms-operator/state.json')).not.toContain('value-of-ours');
  });

  it('takes them from mounted files', async () => {
    const { 'creds.yaml': _, ...manifests } = files;
    const applied = await given(manifests, { seeds, semantics: { secretsEcho: 'stars' } });
    const secrets = temporaryFolder({ 'creds/token': 'the-value-of-a-file' });
    const { code } = await applied.apply('--secrets-dir', secrets.path, '--send-secrets');
    expect(code).toBe(0);
    expect(applied.service.deployment('agent')?.content.secrets).toEqual([
      { name: 'TOKEN', value: 'the-value-of-a-file' },
    ]);
  });
});

const ESCAPE = '\u001b[';

/** Returns the lines that remain on a terminal, without the lines that were drawn over. */
function screenOf(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith(ESCAPE)) lines.splice(-Number.parseInt(line.slice(ESCAPE.length), 10));
    lines.push(line.split(`${ESCAPE}J`).at(-1) ?? '');
  }
  return lines.join('\n');
}

describe('apply, at a terminal', () => {
  it.each([80, 120])('shows its plan, asks and reports, in %d columns', async (columns) => {
    const applied = await given(
      {
        'a.yaml': deploymentYaml('agent', { image: NEWER }),
        'b.yaml': deploymentYaml('fresh', { spec: CREATED }),
        'c.yaml': deploymentYaml('same'),
        'd.yaml': deploymentYaml('manual', { image: NEWER, spec: '  approval: Manual\n' }),
      },
      { seeds: [AGENT, { ...AGENT, name: 'same' }, { ...AGENT, name: 'manual' }] },
    );
    const terminal = new MemoryTerminal({ columns, answer: 'y', environment: { NO_COLOR: '1' } });
    const code = await dispatch(['apply', '-f', applied.folder.path], 'dms-operator', terminal);
    const [question = ''] = terminal.questions;
    const [plan = '', report = ''] = screenOf(terminal.outText).split(/(?<=^Plan: .*\n)/m);
    const lines = report.trimEnd().split('\n');
    const sorted = [...lines.slice(0, -1).toSorted(), lines.at(-1)].join('\n');
    const out = `${plan}${question}y\n${sorted}\n`;
    const words = ['apply', '-f', 'manifests/'];
    await expect(recording(words, { out, err: terminal.errText, code })).toMatchFileSnapshot(
      `../golden/apply-terminal-${columns}.txt`,
    );
  });

  it('holds a change that became known after the question, since the person was not asked about it', async () => {
    const files = { 'a.yaml': deploymentYaml('agent', { image: NEWER }) };
    const applied = await given(files, { semantics: { listLag: { seconds: 4 } } });
    const waiting = (await run(['plan', '-f', applied.folder.path])).out;
    expect(waiting).toContain('waiting: Pending: the service is preparing the database');
    const terminal = new MemoryTerminal({ answer: 'y' });
    expect(await dispatch(['apply', '-f', applied.folder.path], 'dms-operator', terminal)).toBe(3);
    expect(terminal.questions).toEqual([]);
    expect(terminal.outText).toContain(
      'nobody was asked about this, since it was not known in time; apply once more',
    );
    expect(writes(applied)).toEqual([]);
  });

  it('asks about a rotated secret as about any other change, and waits for no other', async () => {
    const spec =
      '  secretsOwnership: Exclusive\n  secrets: [{name: T, valueFrom: {secretKeyRef: {name: app, key: token}}}]\n';
    const applied = await given({
      'a.yaml': deploymentYaml('agent', { spec }),
      's.yaml': secretYaml('app', { token: 'the-first-token-value' }),
    });
    expect((await applied.apply('--send-secrets')).code).toBe(0);
    applied.folder.write('s.yaml', secretYaml('app', { token: 'the-second-token-value' }));
    const terminal = new MemoryTerminal({ answer: 'n' });
    expect(await dispatch(['apply', '-f', applied.folder.path], 'dms-operator', terminal)).toBe(1);
    expect(terminal.outText).toMatch(/secrets +as applied +changed: T +possible/);
    expect(terminal.questions).toEqual(['this changes 1 deployment (team-a/agent). Go on? [y/N] ']);
    expect(writes(applied)).toEqual(['patch']);
  }, 8_000);

  it('keeps the waiting resources below the settled ones', async () => {
    const applied = await given(
      { 'a.yaml': deploymentYaml('agent', { image: NEWER }) },
      { semantics: { rollout: { kind: 'after', seconds: 2 } } },
    );
    const terminal = new MemoryTerminal({ columns: 60 });
    const words = ['apply', '-f', applied.folder.path, '--wait'];
    expect(await dispatch(words, 'dms-operator', terminal)).toBe(0);
    const shown = terminal.outText.replaceAll('\u001b', '^');
    expect(shown).toMatch(/\^\[1A\^\[Jteam-a\/agent: settled, InSync: [^\n]*\n1 settled\n$/);
    const drawn = shown.split('\n').filter((line) => line.includes(': waiting, '));
    expect(drawn.length).toBeGreaterThan(0);
    for (const line of drawn) expect(line.replaceAll(/\^\[\w+/g, '').length).toBeLessThanOrEqual(59);
  });

  it('ends at Ctrl-C with 130, and the next one continues', async () => {
    const applied = await given(
      { 'a.yaml': deploymentYaml('agent', { image: NEWER }) },
      { semantics: { rollout: { kind: 'after', seconds: 3 } } },
    );
    const terminal = new MemoryTerminal();
    const ended = dispatch(['apply', '-f', applied.folder.path, '--wait'], 'dms-operator', terminal);
    await expect.poll(() => terminal.outText, { timeout: 10_000 }).toContain('RolloutInProgress');
    terminal.stop('SIGINT');
    expect(await ended).toBe(130);
    expect(terminal.errText).toBe('stopping after the requests under way\n');
    expect((await applied.apply('--wait')).code).toBe(0);
    expect(writes(applied)).toEqual(['patch']);
  }, 20_000);
});
