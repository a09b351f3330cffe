import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { ROOT } from '../docs/support.ts';
import { imageEntrypoint } from '../support/bundle/image-words.ts';
import { BUILD_LIMIT_MS, sharedBundle } from '../support/bundle/shared-bundle.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { buildBase, npmCacheVolume, npmSettings } from './support/build-base.ts';
import { imageStore, type ImageStore } from './support/buildah.ts';
import { reasonAgainstConfining } from './support/confined.ts';
import { putImageTree, rootFolder } from './support/image-tree.ts';
import { installShipped } from './support/installation.ts';
import { shippedContainer } from './support/pod.ts';
import { putRuntimeLibraries } from './support/runtime-libraries.ts';
import { expectToWorkAsShipped } from './support/story.ts';

const STORY_LIMIT_MS = 90_000;
const reason = reasonAgainstConfining();
const cluster = useOwnControlPlane();
const [libraries, root] = [rootFolder(), rootFolder()];

beforeAll(async () => {
  await putRuntimeLibraries(libraries);
  await installShipped(cluster());
});

describe('what the image has beyond its base', () => {
  beforeAll(async () => {
    await putImageTree(root, dirname(await sharedBundle()));
  }, BUILD_LIMIT_MS);

  test(
    'reconciles the sample as the shipped pod, with no other file there than C++ libraries',
    { timeout: STORY_LIMIT_MS },
    async ({ skip }) => {
      skip(reason !== undefined, reason);
      await putRuntimeLibraries(root);
      const entrypoint = imageEntrypoint();
      await expectToWorkAsShipped(cluster(), { root, entrypoint, env: { NODE_ENV: 'production' } });
    },
  );
});

/** The first time on a machine, a Debian is fetched as well. */
const IMAGE_LIMIT_MS = 15 * 60_000;
const [BUILD_IMAGE, BASE_IMAGE, IMAGE] = ['localhost/build', 'localhost/libraries', 'localhost/dms-operator'];

describe('the image of the Dockerfile, on a base without a shell', () => {
  const missing = ['buildah', 'debootstrap', 'npm', 'apt-get'].find(
    (tool) => spawnSync('which', [tool]).status !== 0,
  );
  const reasonAgainst =
    reason ?? (missing === undefined ? undefined : `there is no ${missing} on the PATH to build it with`);
  let store: ImageStore | undefined;

  beforeAll(async () => {
    if (reasonAgainst !== undefined) return;
    store = await imageStore();
    await store.imported(BASE_IMAGE, libraries);
    await store.imported(BUILD_IMAGE, await buildBase(), await npmSettings());
    await store.build({
      name: IMAGE,
      context: ROOT,
      buildArgs: { BUILD_IMAGE, BASE_IMAGE, VERSION: packageFile.version, REVISION: 'of-the-test' },
      volumes: [await npmCacheVolume()],
    });
  }, IMAGE_LIMIT_MS);

  afterAll(() => store?.end());

  beforeEach(({ skip }) => {
    skip(reasonAgainst !== undefined, reasonAgainst);
  });

  test('says what it is, and runs as the user of the shipped pod', async () => {
    const { user, group, args } = shippedContainer();
    const { Labels, ...config } = await store!.configOf(IMAGE);
    expect(config).toMatchObject({
      User: `${user}:${group}`,
      Entrypoint: imageEntrypoint(),
      Cmd: args,
      WorkingDir: '/opt/dms-operator',
      ExposedPorts: { '8080/tcp': {} },
    });
    expect(Labels).toMatchObject({
      'org.opencontainers.image.title': packageFile.name,
      'org.opencontainers.image.version': packageFile.version,
      'org.opencontainers.image.revision': 'of-the-test',
      'org.opencontainers.image.licenses': packageFile.license,
      'org.opencontainers.image.base.name': BASE_IMAGE,
    });
  });

  test('reconciles the sample as the shipped pod', { timeout: STORY_LIMIT_MS }, async () => {
    const { Entrypoint, Env } = await store!.configOf(IMAGE);
    const env = Object.fromEntries(Env.map((variable) => variable.split(/=(.*)/s, 2)));
    const unpacked = await store!.unpacked(IMAGE);
    await expectToWorkAsShipped(cluster(), { root: unpacked, entrypoint: Entrypoint, env });
  });
});
