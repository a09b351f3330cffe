import { describe, expect, it } from 'vitest';
import { deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { connectionTo } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recording } from '../support/recording.ts';
import { type CommandRun, run } from '../support/terminal.ts';

const imageOf = (version: number): string => `registry.example.com/agent:${version}`;

describe('plan --against', () => {
  const before = together(
    connectionTo('https://deploy.example.com'),
    deploymentYaml('edited'),
    deploymentYaml('same'),
    deploymentYaml('removed', { spec: '  secrets: [{name: API_TOKEN, value: plain-token-of-old}]\n' }),
  );
  const after = together(
    connectionTo('https://other.example.com'),
    deploymentYaml('edited', {
      image: imageOf(2),
      spec: '  approval: Manual\n  secrets: [{name: API_TOKEN, value: plain-token-of-new}]\n',
    }),
    deploymentYaml('same'),
    deploymentYaml('added', { spec: '  sourceConfig: {installCommand: make all}\n' }),
  );

  async function compare(...words: readonly string[]): Promise<CommandRun> {
    const folder = temporaryFolder({ 'old/a.yaml': before, 'new/b.yaml': after });
    return run(['plan', '-f', folder.at('new'), '--against', folder.at('old'), ...words]);
  }

  it.each(['text', 'markdown'])('compares two trees without a service, as %s', async (format) => {
    const result = await compare('-o', format);
    const words = ['plan', '-f', 'manifests/', '--against', '../main/manifests/', '-o', format];
    expect(result.out).not.toMatch(/plain-token|make all/);
    await expect(recording(words, result)).toMatchFileSnapshot(`../golden/plan-against.${format}.txt`);
  });

  it('reports which keys of Secrets and ConfigMaps differ that something uses, and no value', async () => {
    const KEYS = `  secrets:
  - {name: API_TOKEN, valueFrom: {secretKeyRef: {name: agent, key: token}}}
  - {name: LEVEL, valueFrom: {configMapKeyRef: {name: levels, key: level}}}
  secretsFrom: [{secretRef: {name: whole}}]
`;
    const HEADERS = `  headers: [{name: X-Key, valueFrom: {secretKeyRef: {name: agent, key: token}}}]\n`;
    const levels = (level: string): string =>
      secretYaml('levels', { level })
        .replace('kind: Secret', 'kind: ConfigMap')
        .replace('stringData', 'data');
    const users = [
      connectionTo('https://deploy.example.com', { spec: HEADERS }),
      deploymentYaml('a', { spec: KEYS }),
      deploymentYaml('b', {
        spec: '  secrets: [{name: API_TOKEN, valueFrom: {secretKeyRef: {name: agent, key: unchanged}}}]\n',
      }),
    ];
    const folder = temporaryFolder({
      'old/a.yaml': together(
        secretYaml('agent', { token: 'hunter2-old', unchanged: 'x' }),
        secretYaml('whole', { ONE: 'hunter2-1', TWO: 'hunter2-2' }),
        levels('low'),
        ...users,
      ),
      'new/a.yaml': together(
        secretYaml('agent', { token: 'hunter2-new', unchanged: 'x' }),
        secretYaml('whole', { ONE: 'hunter2-1', THREE: 'hunter2-2' }),
        levels('high'),
        ...users,
      ),
    });
    const words = ['plan', '-f', folder.at('new'), '--against', folder.at('old')];
    const names = { [folder.at('new')]: 'manifests/', [folder.at('old')]: '../main/manifests/' };
    const text = recording(words, await run(words), names);
    expect(text).not.toMatch(/hunter2|low|high/);
    await expect(text).toMatchFileSnapshot('../golden/plan-against-secrets.txt');
  });

  it('reports the effect on the deployment of a resource that is added or removed', async () => {
    const folder = temporaryFolder({
      'old/a.yaml': together(
        deploymentYaml('kept'),
        deploymentYaml('lost', { spec: '  deletionPolicy: Delete\n' }),
        deploymentYaml('looked-at', { spec: '  deletionPolicy: Delete\n  managementPolicy: Observe\n' }),
      ),
      'new/a.yaml': deploymentYaml('made', { spec: '  creation: {policy: IfMissing}\n' }),
    });
    const words = ['plan', '-f', folder.at('new'), '--against', folder.at('old'), '-o', 'json'];
    const { out, code } = await run(words);
    const { resources } = JSON.parse(out) as { resources: readonly Record<string, unknown>[] };
    expect(code).toBe(2);
    expect(resources.map(({ name, action, message }) => [name, action, message])).toEqual([
      ['kept', 'Removed', 'its deployment stays at the service'],
      ['looked-at', 'Removed', 'its deployment stays at the service'],
      ['lost', 'Removed', 'its deployment is deleted with it (deletionPolicy: Delete)'],
      ['made', 'Added', 'its deployment is made where there is none'],
    ]);
  });

  it('ends with 0 if nothing differs, wherever the manifests are and however they are written', async () => {
    const folder = temporaryFolder({
      'old/a.yaml': deploymentYaml('a', { spec: '  sourceConfig: {resourceSpec: {cpu: 1, memoryMB: 2}}\n' }),
      'new/b/c.yaml': deploymentYaml('a', {
        spec: '  sourceConfig: {resourceSpec: {memoryMB: 2, cpu: 1}}\n',
      }),
    });
    const words = ['plan', '-f', folder.at('new'), '--against', folder.at('old')];
    expect(await run(words)).toEqual({ out: 'Plan: 1 unchanged.\n', err: '', code: 0 });
  });
});
