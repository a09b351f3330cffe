import { describe, expect, it } from 'vitest';
import { follow } from '../../src/cli/follow.ts';
import type { DeploymentResource } from '../../src/api/deployment.ts';
import { VirtualClock } from '../../src/simulator/virtual-clock.ts';
import { deploymentYaml, together } from '../directory/support/manifests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './support/terminal.ts';

describe('verbs on manifests', () => {
  const paused = '{dms-operator.dev/paused: "true"}';
  const files = { 'all.yaml': together(deploymentYaml('a'), deploymentYaml('b', { annotations: paused })) };

  it.each([
    {
      words: ['pause', 'a'],
      says: '$/all.yaml:4: Deployment/team-a/a: add to metadata.annotations: dms-operator.dev/paused: "true"',
    },
    {
      words: ['resume', 'b'],
      says: '$/all.yaml:14: Deployment/team-a/b: remove from metadata.annotations: dms-operator.dev/paused',
    },
  ])('say which line to write, and change nothing: $words', async ({ words, says }) => {
    const folder = temporaryFolder(files);
    const { out, err, code } = await run([...words, '--dir', folder.path]);
    expect({ out, code, err: err.replaceAll(folder.path, '$') }).toEqual({
      out: '',
      code: 1,
      err: `${says}\n`,
    });
  });

  it('show what the state file remembers', async () => {
    const folder = temporaryFolder(files);
    const { out, code } = await run(['status', '-f', folder.path, '-o', 'name']);
    expect({ out, code }).toEqual({
      out: 'deployment.dms-operator.dev/a\ndeployment.dms-operator.dev/b\n',
      code: 0,
    });
  });
});

describe('what cannot be meant', () => {
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
  ])('is told in one line with 64: $words', async ({ words, says }) => {
    expect(await run(words)).toEqual({ out: '', err: `dms-operator: ${says}\n`, code: 64 });
  });
});

describe('following what was said', () => {
  const resource = (name: string, lastHandledReconcileAt?: string) =>
    ({ metadata: { name }, status: { lastHandledReconcileAt } }) as unknown as DeploymentResource;

  it('ends when all were acted on, and names those that were not', async () => {
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
