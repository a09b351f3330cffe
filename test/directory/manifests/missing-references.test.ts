import { describe, expect, it } from 'vitest';
import { keyText } from '../../../src/api/metadata.ts';
import { ManifestFiles } from '../../../src/directory/manifests/manifest-files.ts';
import {
  type MissingReferences,
  missingReferences,
} from '../../../src/directory/manifests/missing-references.ts';
import { problemText } from '../../../src/api/file-problem.ts';
import { connectionYaml, deploymentYaml, secretYaml, together } from '../support/manifests.ts';

/** Returns the warnings about documents that come from standard input. */
async function told(...documents: readonly string[]): Promise<readonly string[]> {
  const { problems } = await found(...documents);
  return problems.map(problemText);
}

async function found(...documents: readonly string[]): Promise<MissingReferences> {
  const text = together(...documents);
  const files = new ManifestFiles(['-'], { readStdin: async () => Buffer.from(text) });
  const manifests = await files.read();
  expect(manifests.problems).toEqual([]);
  return missingReferences(manifests);
}

const withConnection = (ref: string): string => deploymentYaml('a', { spec: `  connectionRef: ${ref}\n` });
const withSecrets = (...names: readonly string[]): string =>
  deploymentYaml('a', {
    spec: `  secrets:\n${names
      .map((name, n) => `  - {name: S${n}, valueFrom: {secretKeyRef: {name: ${name}, key: k}}}\n`)
      .join('')}`,
  });
const clusterConnection = (name: string, spec = ''): string =>
  connectionYaml(name, { spec })
    .replace('kind: Connection', 'kind: ClusterConnection')
    .replace(', namespace: team-a', '')
    .concat('  namespaceSelector: {}\n');

describe('a reference to an undeclared resource', () => {
  it('is reported with its place and the most similar declared name', async () => {
    expect(await told(withConnection('{name: prodd}'), connectionYaml('prod'))).toEqual([
      '-:4:3: warning: spec.connectionRef: uses Connection team-a/prodd, which no document here declares; expected prod, or a document that declares it, unless it is there already',
    ]);
    expect(await told(withSecrets('keys'), secretYaml('others', { k: 'v' }))).toEqual([
      '-:4:3: warning: spec: takes values from Secret team-a/keys, which no document here declares; expected a document that declares it, unless it is there already',
    ]);
  });

  it('is reported once for each name, also of another namespace', async () => {
    const problems = await told(withSecrets('one', 'two', 'one'), secretYaml('one', { k: 'v' }, 'team-b'));
    expect(problems.map((line) => / (team-a\/\w+),/.exec(line)?.[1])).toEqual(['team-a/one', 'team-a/two']);
  });

  it('is no problem if no document has that kind, and is named once', async () => {
    const { problems, undeclared } = await found(
      withConnection('{name: x}'),
      withSecrets('s', 's', 't').replace('name: a', 'name: b'),
    );
    expect(problems).toEqual([]);
    expect(undeclared.map(keyText)).toEqual([
      'Connection/team-a/x',
      'Connection/team-a/default',
      'Secret/team-a/s',
      'Secret/team-a/t',
    ]);
  });

  it.each([
    {
      name: 'it is the connection called default',
      documents: [deploymentYaml('a'), connectionYaml('default')],
    },
    { name: 'it is that of the cluster', documents: [deploymentYaml('a'), clusterConnection('default')] },
    { name: 'it is declared', documents: [withSecrets('s'), secretYaml('s', { k: 'v' })] },
    {
      name: 'a connection of the cluster names it, whose namespace is not known',
      documents: [
        clusterConnection('c', '  headers: [{name: X-Key, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n'),
        secretYaml('s', { k: 'v' }, 'dms-operator'),
      ],
    },
  ])('is not reported if $name', async ({ documents }) => {
    expect(await told(...documents)).toEqual([]);
  });
});
