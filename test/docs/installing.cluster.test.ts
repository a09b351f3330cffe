import { test } from 'vitest';
import { useHelm } from '../support/programs/helm.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { INSTALLING } from './story/pages.ts';
import { tellStory } from './story/teller.ts';

const cluster = useOwnControlPlane();
const helm = useHelm();
const LIMIT_MS = 180_000;

/** No pods run here. The tests in test/install prove that the installation works. */
const LEFT = /^kubectl rollout status /;

test(
  `the commands of ${INSTALLING} print the output on the page`,
  async () => {
    const commands = { helm: `#!/bin/sh\nexec '${helm.path()}' "$@"\n` };
    await tellStory(INSTALLING, { cluster: cluster(), commands, leave: LEFT });
  },
  LIMIT_MS,
);
