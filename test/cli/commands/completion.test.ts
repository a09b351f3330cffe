import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../support/terminal.ts';

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

const RESOURCES = 'deployment.dms-operator.dev/agent\\ndeployment.dms-operator.dev/bot\\n';

/** Prints two names, and a third one made of the words of the call. */
const STATUS = `{ printf '${RESOURCES}'; IFS=_; echo "deployment.dms-operator.dev/asked_$*"; }`;

/** Returns what a real bash offers for the last of these words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await run(['completion', 'bash']);
  const script = `dms-operator() ${STATUS}
${out}
COMP_WORDS=(dms-operator ${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_dms_operator
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

describe('completion', () => {
  it.each([
    { words: ['re'], offers: ['resume', 'reconcile', 'redeploy'] },
    { words: ['status', '-o', ''], offers: ['text', 'wide', 'json', 'yaml', 'name'] },
    { words: ['validate', '--output', 'g'], offers: ['github'] },
    { words: ['run', '--dr'], offers: ['--dry-run'] },
    { words: ['pause', ''], offers: ['agent', 'bot', 'asked_status_-o_name'] },
    { words: ['describe', 'b'], offers: ['bot'] },
    {
      words: ['pause', '--context', 'prod', '-n', 'team-a', '--dir=m', '--wait', 'as'],
      offers: ['asked_status_-o_name_--context_prod_-n_team-a_--dir=m'],
    },
    { words: ['pause', '--context', '=', 'prod', 'as'], offers: ['asked_status_-o_name_--context=prod'] },
    { words: ['pause', '-n', ''], offers: [''] },
    { words: ['approve', '--ha'], offers: ['--hash'] },
    { words: ['completion', 'f'], offers: ['fish'] },
  ])('in bash offers $offers for $words', async ({ words, offers }) => {
    expect(await offered(...words)).toEqual(offers);
  });

  it('works for kubectl, which runs a program beside the plug-in', async () => {
    const folder = temporaryFolder({
      'kubectl_complete-dms': (await run(['completion', 'kubectl'])).out,
      kubectl: `#!/bin/sh\nprintf '${RESOURCES}'\n`,
    });
    chmodSync(folder.at('kubectl'), 0o755);
    const answer = (...words: readonly string[]): string =>
      execFileSync('bash', [folder.at('kubectl_complete-dms'), ...words], {
        env: { ...process.env, PATH: `${folder.path}:${process.env['PATH']}` },
        encoding: 'utf8',
      });
    expect(answer('re')).toBe('resume\nreconcile\nredeploy\n:4\n');
    expect(answer('pause', '')).toBe('agent\nbot\n:4\n');
    expect(answer('validate', '-f', 'm')).toBe(':0\n');
  });

  it.each(['zsh', 'fish'])('is a script that %s reads', async (shell) => {
    const { out, code } = await run(['completion', shell]);
    expect(code).toBe(0);
    expect(out).toContain('redeploy');
  });

  for (const shell of ['zsh', 'fish']) {
    it(`is read by the real ${shell}`, async ({ skip }) => {
      if (!isInstalled(shell)) skip(`${shell} is not installed here`);
      const folder = temporaryFolder({ script: (await run(['completion', shell])).out });
      const { status, stderr } = spawnSync(shell, ['-n', folder.at('script')], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });
  }
});
