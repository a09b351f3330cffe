import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dispatch } from '../../src/cli/dispatch.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { VERSION } from '../../src/compose/operator/version.ts';
import { deploymentYaml, together } from '../directory/support/manifests.ts';
import { connectionTo, servedService } from '../support/worlds/served-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { start } from './support/process.ts';
import { recording } from './support/recording.ts';
import { MemoryTerminal, run } from './support/terminal.ts';

const GOLDEN = join(import.meta.dirname, 'golden');

describe('a recording', () => {
  it.each(COMMANDS.map(({ name }) => name))('of %s is kept', (name) => {
    const lines = readdirSync(GOLDEN).map((file) => readFileSync(join(GOLDEN, file), 'utf8').split('\n')[0]);
    expect(lines.filter((line) => `${line} `.startsWith(`$ dms-operator ${name} `))).not.toEqual([]);
  });

  it.each([
    { name: 'crds', words: ['crds'], lines: 12 },
    { name: 'completion-bash', words: ['completion', 'bash'] },
    { name: 'completion-zsh', words: ['completion', 'zsh'], lines: 12 },
    { name: 'completion-fish', words: ['completion', 'fish'] },
    { name: 'completion-kubectl', words: ['completion', 'kubectl'], lines: 12 },
    { name: 'simulate-words', words: ['simulate', '--semantics', 'list'] },
  ])('is as it was agreed: $name', async ({ name, words, lines = Infinity }) => {
    const { out, err, code } = await run(words, { columns: 100 });
    const printed = out.split('\n');
    const shown = printed.length <= lines ? out : [...printed.slice(0, lines), '…\n'].join('\n');
    const text = recording(words, { out: shown, err, code });
    await expect(text).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  const PAUSED = '{dms-operator.dev/paused: "true"}';
  const MANUAL = '  approval: Manual\n';

  it.each([
    ['pause', 'agent'],
    ['pause', '--all', '-o', 'json'],
    ['resume', 'bot'],
    ['reconcile', 'agent'],
    ['redeploy', 'agent', 'bot'],
    ['approve', 'agent'],
    ['status'],
  ])('of verbs on manifests is as it was agreed: %s %s', async (...typed) => {
    const folder = temporaryFolder({
      'agents.yaml': together(
        deploymentYaml('agent', { spec: MANUAL }),
        deploymentYaml('bot', { annotations: PAUSED }),
      ),
    });
    const words = [...typed, '--dir', folder.path];
    const text = recording(words, await run(words, { columns: 80 }), { [folder.path]: 'manifests' });
    const name = typed.map((word) => word.replace(/^-+/, '')).join('-');
    await expect(text).toMatchFileSnapshot(`golden/${name}-in-manifests.txt`);
  });

  it('of simulate is as it was agreed', async () => {
    const folder = temporaryFolder({
      'seed.yaml': 'deployments:\n- {name: agent, source: codehost}\n',
    });
    const words = ['simulate', '--port', '0', '--seed', folder.at('seed.yaml')];
    const terminal = new MemoryTerminal();
    const ended = dispatch(words, 'dms-operator', terminal);
    await expect.poll(() => terminal.outText).toContain('Ctrl-C');
    terminal.stop('SIGINT');
    const seen = { out: terminal.outText, err: terminal.errText, code: await ended };
    const text = recording(words, seen, { [folder.path]: '.' });
    await expect(text).toMatchFileSnapshot('golden/simulate.txt');
  });

  it('of run is as it was agreed, from its first line to its last', async () => {
    const { url } = await servedService([{ name: 'agent' }]);
    const folder = temporaryFolder({ 'connection.yaml': connectionTo(url) });
    const words = ['run', '--dir', folder.path, '--metrics-address', '127.0.0.1:0', '--log-format', 'pretty'];
    const { child, printed, ended } = start(words);
    await expect.poll(() => printed.out, { timeout: 20_000 }).toContain('the service lists 1 deployment');
    child.kill('SIGTERM');
    const { out, err, code } = await ended;
    const names = { [folder.path]: 'manifests', [VERSION]: '<version>' };
    const text = recording(words, { out, err, code: code ?? -1 }, names);
    await expect(text).toMatchFileSnapshot('golden/run.txt');
  });
});
