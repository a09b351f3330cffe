import { expect, test } from 'vitest';
import { madeRevision, showsAnsweredRevision } from '../../../src/model/effects/made-revision.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { PatchBody } from '../../../src/model/external/patch-body.ts';
import { anObserved } from '../../support/resources/builders.ts';

const CPU: PatchBody = { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 2 }, unknown: {} } } };
const GRAPH: PatchBody = { sourceRevisionConfig: { graphConfigPath: 'theirs.json' } };
const look = (latestRevisionID: string, fields: object): Partial<ObservedDeployment> => ({
  latestRevisionID,
  sourceRevisionConfig: { fields: { repoRef: 'main', graphConfigPath: 'a.json', ...fields } },
});

const ONE = anObserved(look('one', {}));
const { latestRevisionID: _one, ...UNSHOWN } = ONE;

type Row = readonly [
  name: string,
  body: PatchBody,
  before: ObservedDeployment,
  list: Partial<ObservedDeployment>,
  is: boolean,
];

test.each<Row>([
  ['with the other fields unchanged', CPU, ONE, look('two', {}), true],
  ['with the other fields emptied', CPU, ONE, look('two', { repoRef: null, graphConfigPath: null }), true],
  ['with the requested value', GRAPH, ONE, look('two', { graphConfigPath: 'theirs.json' }), true],
  ['with an edit of somebody else', CPU, ONE, look('two', { graphConfigPath: 'theirs.json' }), false],
  ['without a text, beside a text that stays', CPU, ONE, look('two', { graphConfigPath: null }), false],
  ['that was there before', CPU, ONE, look('one', {}), false],
  ['if the read before showed no revision', CPU, UNSHOWN, look('two', {}), false],
])('a revision %s', (_name, body, before, list, is) => {
  expect(madeRevision({ before, body }, anObserved(list))).toBe(is);
});

test.each([
  ['is the new one of its answer', 'two', 'two', true],
  ['is another one than that of its answer', 'three', 'two', false],
  ['is the one from before it', 'one', 'one', false],
  ['is null, as in its answer', null, null, false],
  ['is missing, as in its answer', undefined, undefined, false],
])('a list shows the revision of a write: it %s', (_name, listed, answered, is) => {
  const showing = (latestRevisionID: string | null | undefined): ObservedDeployment => {
    const { latestRevisionID: _id, ...rest } = ONE;
    return latestRevisionID === undefined ? rest : { ...rest, latestRevisionID };
  };
  const written = { before: ONE, body: CPU, answer: showing(answered) };
  expect(showsAnsweredRevision(written, showing(listed))).toBe(is);
});
