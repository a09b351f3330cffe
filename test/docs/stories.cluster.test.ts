import { afterEach, beforeAll, describe, test } from 'vitest';
import { useOwnControlPlane } from '../support/shared-control-plane.ts';
import { FIRST, THEN } from './story/pages.ts';
import { tellStory } from './story/teller.ts';

const cluster = useOwnControlPlane();
const LIMIT_MS = 180_000;

/** What pages make beside namespaces. */
const MADE = ['dmsd', 'dmsc', 'dmscc', 'secrets', 'configmaps', 'events'];

afterEach(async () => {
  await cluster().kubectl(['delete', MADE.join(','), '--all', '-n', 'team-a']);
});

test(
  `what ${FIRST} tells is what happens`,
  () => tellStory(FIRST, { cluster: cluster(), leave: /^npm / }),
  LIMIT_MS,
);

describe('in the cluster that Getting started left behind', () => {
  beforeAll(async () => {
    await cluster().installCRDs();
    for (const name of ['dms-operator', 'team-a']) await cluster().kubectl(['create', 'namespace', name]);
  });

  test.each(THEN)(
    'what %s tells is what happens',
    (page) => tellStory(page, { cluster: cluster() }),
    LIMIT_MS,
  );
});
