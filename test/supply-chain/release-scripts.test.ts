import { describe, expect, test } from 'vitest';
import { releasedImage } from '../../scripts/release/image.ts';
import { textOf } from '../docs/support.ts';
import { ranScript, type ScriptRun } from './support/script-run.ts';
import { workflow } from './support/workflow.ts';

const { jobs } = workflow('release.yml');
const DIGEST = `sha256:${'0a'.repeat(32)}`;

/** Docker with a registry that has everything under one digest, and jq for the single requested field. */
const REGISTRY = {
  docker: docker(`echo '{"digest":"${DIGEST}"}'`),
  jq: `sed 's/.*"digest":"\\([^"]*\\)".*/\\1/'`,
};

/** Returns a Docker stand-in with this result of a registry query. */
function docker(looking: string): string {
  return `case "$*" in login*) cat > /dev/null ;; *'imagetools inspect'*) ${looking} ;; esac`;
}

/** Runs the script of a step in a release with this tag. */
async function ran(
  job: string,
  step: string,
  tag: string,
  standIns: Record<string, string>,
): Promise<ScriptRun> {
  const script = jobs[job]?.steps.find(({ name }) => name === step)?.run;
  if (script === undefined) throw new Error(`${job} has no script ${step}`);
  const variables = {
    GITHUB_REF_NAME: tag,
    GITHUB_REPOSITORY: 'Team/Repository',
    GITHUB_ACTOR: 'somebody',
    GITHUB_TOKEN: 'the-token-of-the-run',
  };
  return await ranScript(script, variables, standIns);
}

describe('a release', () => {
  const published = async (tag: string): Promise<string> =>
    (await ran('publish', 'Publish', tag, { gh: '' })).calls.join();

  test('becomes the latest according to the version order of the host', async () => {
    expect(await published('v1.2.0')).toMatch(
      /^gh release create v1\.2\.0 --repo Team\/Repository --verify-tag /,
    );
    expect(await published('v1.2.0')).not.toMatch(/--(?:prerelease|latest)/);
  });

  test.each(['v1.2.0-rc.1', 'v2.0.0-beta'])(
    'that is a candidate is marked as such, and is never the latest: %s',
    async (tag) => {
      expect(await published(tag)).toContain(`gh release create ${tag} `);
      expect(await published(tag)).toContain(' --prerelease --latest=false ');
    },
  );
});

describe('the image of a release', () => {
  test.each(['v1.2.0', 'v1.2.0-rc.1'])('is pushed only under its version: %s', async (tag) => {
    const { calls, outputs } = await ran('push', 'Push the image', tag, REGISTRY);
    const name = `ghcr.io/team/repository:${tag.slice(1)}`;
    expect(calls.filter((call) => / (?:push|create) /.test(call))).toEqual([
      `docker push ${name}-amd64`,
      `docker push ${name}-arm64`,
      `docker buildx imagetools create --tag ${name} ${name}-amd64 ${name}-arm64`,
    ]);
    expect(outputs).toEqual({ name: 'ghcr.io/team/repository', digest: DIGEST });
    expect(calls.join()).not.toContain('the-token-of-the-run');
  });

  test('has the name that is written into the files', async () => {
    const { outputs } = await ran('push', 'Push the image', 'v1.2.0', REGISTRY);
    const told = jobs['push']?.outputs?.['image']?.replaceAll(
      /\$\{\{ steps\.image\.outputs\.(\w+) \}\}/g,
      (_, output: string) => outputs[output] ?? '',
    );
    expect(releasedImage(told ?? '')).toEqual({ repository: 'ghcr.io/team/repository', digest: DIGEST });
  });

  test('is not written into files if the registry does not report its contents', async () => {
    const silent = { ...REGISTRY, docker: docker('exit 1') };
    await expect(ran('push', 'Push the image', 'v1.2.0', silent)).rejects.toThrow();
  });

  test('is built on bases that are named by their current digest', async () => {
    const { outputs } = await ran('bases', 'Find what the names of the bases mean today', 'v1.2.0', REGISTRY);
    const named = [...textOf('Dockerfile').matchAll(/^ARG (\w+_IMAGE)=(.*)$/gm)];
    expect(named).toHaveLength(2);
    expect(outputs).toEqual(Object.fromEntries(named.map(([, arg, image]) => [arg, `${image}@${DIGEST}`])));
  });

  test('has layers with the times of the commit, on the bases that were found', async () => {
    const standIns = { docker: '', git: 'echo 1700000000' };
    const { calls } = await ran('image', 'Build the image', 'v1.2.0', standIns);
    const build = calls.find((call) => call.startsWith('docker buildx build ')) ?? '';
    expect(build).toMatch(/ --output type=docker,dest=\S+,rewrite-timestamp=true /);
    expect(build).toContain(' --build-arg SOURCE_DATE_EPOCH=1700000000 ');
    for (const [, arg] of textOf('Dockerfile').matchAll(/^ARG (\w+)=/gm)) {
      expect(build).toContain(` --build-arg ${arg}=`);
    }
  });
});
