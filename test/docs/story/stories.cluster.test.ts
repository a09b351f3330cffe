import { afterEach, beforeAll, describe, test } from 'vitest';
import { installPrometheusDefinitions } from '../../monitoring/support/prometheus-definitions.ts';
import { useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';
import { FIRST, IN_TROUBLE, MONITORING, THEN } from './pages.ts';
import { tellStory } from './teller.ts';
import { TROUBLES } from './troubles.ts';

const cluster = useOwnControlPlane();
const LIMIT_MS = 300_000;

/** The resources other than namespaces that pages create. */
const MADE = ['dmsd', 'dmsc', 'dmscc', 'secrets', 'configmaps', 'events'];

afterEach(async () => {
  for (const namespace of ['team-a', 'team-b']) {
    await cluster().kubectl(['delete', MADE.join(','), '--all', '-n', namespace]);
  }
});

test(
  `the commands of ${FIRST} print the output on the page`,
  () => tellStory(FIRST, { cluster: cluster(), leave: /^np[mx] / }),
  LIMIT_MS,
);

describe('in the cluster that Getting started left behind', () => {
  beforeAll(async () => {
    await cluster().installCRDs();
    for (const name of ['dms-operator', 'team-a']) await cluster().kubectl(['create', 'namespace', name]);
  });

  test.each(THEN)(
    'the commands of %s print the output on the page',
    (page) => tellStory(page, { cluster: cluster() }),
    LIMIT_MS,
  );

  test(
    `the commands of ${IN_TROUBLE} print the output on the page`,
    () => tellStory(IN_TROUBLE, { cluster: cluster(), ...TROUBLES }),
    LIMIT_MS,
  );

  test(
    `the commands of ${MONITORING} print the output on the page`,
    async ({ skip }) => {
      skip(!(await installPrometheusDefinitions(cluster())), 'there is no go command on the PATH');
      await tellStory(MONITORING, { cluster: cluster() });
    },
    LIMIT_MS,
  );
});
