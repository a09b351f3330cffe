import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { follow } from '../../../../src/cli/commands/annotate/annotate.ts';
import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import { VirtualClock } from '../../../support/doubles/virtual-clock.ts';
import { deploymentYaml, together } from '../../../directory/support/manifests.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { run } from '../../support/terminal.ts';

describe('verbs on manifests', () => {
  const paused = '{dms-operator.dev/paused: "true"}';

  const files = { 'all.yaml': together(deploymentYaml('a'), deploymentYaml('b', { annotations: paused })) };

  const A_PAUSED = files['all.yaml'].replace(
    'team-a\nspec',
    'team-a\n  annotations:\n    dms-operator.dev/paused: "true"\nspec',
  );

  it.each([
    {
      words: ['pause', 'a'],
      out: 'team-a/a paused\n',
      err: '$/all.yaml:7: dms-operator.dev/paused set to "true"; commit this file\n',
      text: A_PAUSED,
    },
    {
      words: ['resume', 'b'],
      out: 'team-a/b resumed\n',
      err: '$/all.yaml:14: dms-operator.dev/paused removed; commit this file\n',
      text: together(deploymentYaml('a'), deploymentYaml('b', { annotations: '{}' })),
    },
    {
      words: ['pause', '--all', '-o', 'name'],
      out: 'deployment.dms-operator.dev/a\ndeployment.dms-operator.dev/b\n',
      err: '$/all.yaml:7: dms-operator.dev/paused set to "true"; commit this file\n',
      text: A_PAUSED,
    },
    { words: ['pause', 'b'], out: 'team-a/b is paused already\n', err: '', text: files['all.yaml'] },
    {
      words: ['resume', '--all', '-n', 'other'],
      out: '',
      err: 'no deployments.dms-operator.dev in namespace other\n',
      text: files['all.yaml'],
    },
  ])('edit only their line of the file: $words', async ({ words, text, ...told }) => {
    const folder = temporaryFolder(files);
    const { out, err, code } = await run([...words, '--dir', folder.path]);
    expect({ out, code, err: err.replaceAll(folder.path, '$') }).toEqual({ ...told, code: 0 });
    expect(folder.read('all.yaml')).toBe(text);
  });

  it('name the file and the line in JSON', async () => {
    const folder = temporaryFolder(files);
    const { out } = await run(['pause', '--all', '--dir', folder.path, '-o', 'json']);
    expect(JSON.parse(out)).toEqual({
      formatVersion: 1,
      resources: [
        { namespace: 'team-a', name: 'a', result: 'paused', file: folder.at('all.yaml'), line: 7 },
        { namespace: 'team-a', name: 'b', result: 'is paused already' },
      ],
    });
  });

  it('print the line to add if they may not write, edit the other files, and end with 1', async () => {
    const folder = temporaryFolder({ 'b.yaml': deploymentYaml('b'), 'c/real': deploymentYaml('a') });
    symlinkSync('c/real', folder.at('a.yaml'));
    const { out, err, code } = await run(['pause', '--all', '--dir', folder.path]);
    expect({ out, code, err: err.replaceAll(folder.path, '$') }).toEqual({
      out: 'team-a/b paused\n',
      code: 1,
      err:
        '$/a.yaml:4: Deployment/team-a/a: not edited: the file is a link; ' +
        'add to metadata.annotations: dms-operator.dev/paused: "true"\n' +
        '$/b.yaml:7: dms-operator.dev/paused set to "true"; commit this file\n',
    });
    expect(folder.read('c/real')).toBe(deploymentYaml('a'));
  });

  it('print the line to add to a manifest from standard input', async () => {
    const { out, err, code } = await run(['pause', 'a', '-f', '-'], { stdin: deploymentYaml('a') });
    expect([out, code]).toEqual(['', 1]);
    expect(err).toContain('-:4: Deployment/team-a/a: not edited: standard input is no file; add to ');
  });

  it('change nothing if one of the names does not exist, or one of the files has an error', async () => {
    const folder = temporaryFolder(files);
    expect(await run(['pause', 'a', 'nobody', '--dir', folder.path])).toEqual({
      ...{ out: '', code: 1 },
      err: 'dms-operator: deployments.dms-operator.dev "nobody" is in no manifest here\n',
    });
    folder.write('b.yaml', 'kind: [');
    expect((await run(['pause', 'a', '--dir', folder.path])).code).toBe(1);
    expect(folder.read('all.yaml')).toBe(files['all.yaml']);
  });

  it('ask before they redeploy several resources that were not named, and wait no longer than the timeout', async () => {
    const folder = temporaryFolder(files);
    const words = ['redeploy', '--all', '--dir', folder.path];
    const asked = await run(words);
    expect(asked.err).toContain(
      'this makes a revision of 2 deployments (team-a/a, team-a/b) and there is nobody',
    );
    expect([asked.code, folder.read('all.yaml')]).toEqual([1, files['all.yaml']]);
    expect(await run([...words, '--yes', '--wait'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('team-a/b: is paused, so waiting would never end') as string,
    });
    const { code, err } = await run(['redeploy', 'a', '--dir', folder.path, '--wait', '--timeout', '0.1']);
    expect([code, err.split('\n').at(-2)]).toEqual([3, 'team-a/a: the controller did not act within 0.1 s']);
    expect(folder.read('all.yaml')).toMatch(/^ {4}dms-operator\.dev\/redeploy: "\d{4}-/m);
  });

  it('show the content of the state file', async () => {
    const folder = temporaryFolder(files);
    const { out, code } = await run(['status', '-f', folder.path, '-o', 'name']);
    expect({ out, code }).toEqual({
      out: 'deployment.dms-operator.dev/a\ndeployment.dms-operator.dev/b\n',
      code: 0,
    });
  });
});

describe('an invalid command line', () => {
  it.each([
    { words: ['pause'], says: 'which deployments? give names, --selector or --all' },
    { words: ['pause', 'a', '--all'], says: '--all: does not go together with names' },
    {
      words: ['resume', 'a', '-A'],
      says: '--all-namespaces: does not go together with names; say --namespace',
    },
    { words: ['pause', 'a', '-l', 'x=y'], says: '--selector: does not go together with names' },
    {
      words: ['status', '-l', '==='],
      says: '--selector: "===" is not a label selector such as tier=gold or team in (a,b)',
    },
    { words: ['status', 'A/B'], says: '"A/B" is not the name of a resource' },
    {
      words: ['approve', '--all', '--hash', '0'.repeat(20)],
      says: '--hash: works only together with one name',
    },
    { words: ['status', '--state', 's'], says: '--state: works only together with --dir or --filename' },
    {
      words: ['crds', '--tokn=a-secret'],
      says: "unknown option '--tokn'; see 'dms-operator crds --help'",
    },
  ])('is reported in one line with 64: $words', async ({ words, says }) => {
    expect(await run(words)).toEqual({ out: '', err: `dms-operator: ${says}\n`, code: 64 });
  });
});

describe('following a request', () => {
  const resource = (name: string, lastHandledReconcileAt?: string) =>
    ({ metadata: { name }, status: { lastHandledReconcileAt } }) as unknown as DeploymentResource;

  it('ends when the controller acted on all of them, and reports the others', async () => {
    const clock = new VirtualClock();
    const looks: string[] = [];
    const again = async ({ metadata: { name } }: DeploymentResource) => {
      looks.push(name);
      if (name === 'gone') return undefined;
      return resource(
        name,
        name === 'slow' && looks.length < 6 ? undefined : name === 'never' ? 'old' : 'now',
      );
    };
    const following = follow(
      ['slow', 'never', 'gone'].map((name) => ({ resource: resource(name), text: 'now' })),
      {
        deployments: { again, clock },
        handled: ({ status }) => status?.lastHandledReconcileAt,
        timeoutMs: 10_000,
        signal: new AbortController().signal,
      },
    );
    await clock.advance(10_000);
    expect((await following).map(({ resource, end }) => [resource.metadata.name, end])).toEqual([
      ['gone', 'gone'],
      ['never', 'time'],
    ]);
    expect(looks.filter((name) => name === 'gone')).toHaveLength(1);
  });
});
