import { describe, expect, it } from 'vitest';
import { lineEndWarnings } from '../../../src/directory/manifests/line-end-warnings.ts';
import { ManifestFiles } from '../../../src/directory/manifests/manifest-files.ts';
import { SecretFiles } from '../../../src/directory/manifests/secret-files.ts';
import { sharedDeployments } from '../../../src/directory/manifests/shared-deployments.ts';
import { problemText } from '../../../src/api/file-problem.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml, secretYaml, together } from '../support/manifests.ts';

async function manifestsOf(...documents: readonly string[]) {
  const readStdin = async () => Buffer.from(together(...documents));
  return new ManifestFiles(['-'], { readStdin }).read();
}

const TAKES = '  secrets: [{name: TOKEN, valueFrom: {secretKeyRef: {name: creds, key: token}}}]\n';

describe('a value that ends in a newline', () => {
  const agent = deploymentYaml('a', { spec: TAKES });

  it('is reported for a document, by its key', async () => {
    const values = {
      token: 'the-token\n',
      windows: 'the-token\r\n',
      plain: 'the-token',
      key: 'a\nb\n',
      empty: '',
    };
    const found = await lineEndWarnings(await manifestsOf(agent, secretYaml('creds', values)));
    expect(found.map(problemText)).toEqual(
      ['token', 'windows'].map(
        (key) =>
          `-:14:12: warning: the value of ${key} ends in a line end, which is sent as part of it; expected a value without it, unless it is meant`,
      ),
    );
  });

  it('is reported for a file, by its path, and without the value', async () => {
    const folder = temporaryFolder({
      'creds/token': 'the-token\n',
      'other/token': 'the-token\n',
      'creds/ok': 'x',
    });
    const found = await lineEndWarnings(await manifestsOf(agent), new SecretFiles(folder.path));
    expect(found.map(({ file }) => file)).toEqual([folder.at('creds/token')]);
    expect(JSON.stringify(found)).not.toContain('the-token');
  });

  it('is not reported for a Secret that no document here uses', async () => {
    const manifests = await manifestsOf(deploymentYaml('a'), secretYaml('creds', { token: 'the-token\n' }));
    expect(await lineEndWarnings(manifests)).toEqual([]);
  });
});

describe('two resources for one deployment', () => {
  const named = (name: string, spec = '', namespace = 'team-a'): string =>
    deploymentYaml(name, { spec, namespace }).replace(
      `deploymentRef: {name: ${name}}`,
      'deploymentRef: {name: agent}',
    );

  it('are reported at the second one, which names the first', async () => {
    const problems = sharedDeployments(await manifestsOf(named('a'), named('b'), named('c')));
    expect(problems.map(problemText)).toEqual(
      [14, 24].map(
        (line) =>
          `-:${line}:3: warning: spec.deploymentRef: means the same deployment as Deployment/team-a/a at -:4; expected one resource for each deployment`,
      ),
    );
  });

  it.each([
    { name: 'of which one only observes', others: [named('b', '  managementPolicy: Observe\n')] },
    { name: 'through other connections', others: [named('b', '  connectionRef: {name: other}\n')] },
    { name: 'through connections of other namespaces', others: [named('b', '', 'team-b')] },
    { name: 'that are called alike in a reference and in metadata', others: [deploymentYaml('b')] },
  ])('are no problem $name', async ({ others }) => {
    expect(sharedDeployments(await manifestsOf(named('a'), connectionYaml('default'), ...others))).toEqual(
      [],
    );
  });

  it('are reported also if both use a ClusterConnection', async () => {
    const cluster = connectionYaml('default')
      .replace('kind: Connection', 'kind: ClusterConnection')
      .replace(', namespace: team-a', '');
    const problems = sharedDeployments(await manifestsOf(named('a'), named('b', '', 'team-b'), cluster));
    expect(problems).toHaveLength(1);
  });
});
