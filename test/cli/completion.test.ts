import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './support/terminal.ts';

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** What a real bash offers for the last of these words; `status` of the program names two resources. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await run(['completion', 'bash']);
  const resources = 'deployment.dms-operator.dev/agent\\ndeployment.dms-operator.dev/bot\\n';
  const script = `dms-operator() { printf '${resources}'; }
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
    { words: ['pause', ''], offers: ['agent', 'bot'] },
    { words: ['approve', '--ha'], offers: ['--hash'] },
    { words: ['completion', 'f'], offers: ['fish'] },
  ])('in bash offers $offers for $words', async ({ words, offers }) => {
    expect(await offered(...words)).toEqual(offers);
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
