import { describe, expect, test } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { type Applied, secretDigest } from '../../../src/model/recorded/baseline.ts';
import { canonicalText } from '../../../src/model/desired/canonical-text.ts';
import { type DesiredSecrets, desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import { judgeFields } from '../../../src/model/compare/judge-fields.ts';
import {
  bodyPart,
  type Evidence,
  judgePending,
  type PendingWrite,
  requestDigest,
  secretsDigest,
  withEvidence,
} from '../../../src/model/compare/evidence.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { judgeSecrets } from '../../../src/model/compare/judge-secrets.ts';
import { anObserved, at, digestsWith, NOW_MS, secretsOf } from '../../support/resources/builders.ts';

const DIGESTS = digestsWith();
const IMAGE = 'sourceRevisionConfig.imageURI';
const REF = 'sourceRevisionConfig.repoRef';
const URL_PATH = 'sourceConfig.customURL';
const COMMIT = 'a'.repeat(40);
const NOTHING: Applied = { fields: new Map(), secrets: new Map(), keyLost: false };
/** The write was announced a minute ago, and its window is over. */
const ANNOUNCED_MS = -60_000;

interface Row {
  readonly name: string;
  readonly because: string;
  readonly spec?: Partial<DeploymentSpec>;
  readonly secrets?: DesiredSecrets;
  readonly observed: Partial<ObservedDeployment>;
  readonly pending?: Partial<PendingWrite>;
  readonly applied?: Applied;
  readonly revisions?: DeploymentStatus['revisions'];
  readonly foundRevisionID?: string;
  readonly secretsListed?: boolean;
  readonly othersMayStay?: boolean;
  readonly reports?: boolean;
  readonly nullsCount?: boolean;
  readonly listedPaths?: readonly string[];
  readonly inLists?: boolean;
  readonly beganMs?: number;
  readonly settledMs?: number;
  readonly secondRead?: boolean;
  readonly want: object;
}

const SPEC: Partial<DeploymentSpec> = { sourceRevisionConfig: { imageURI: 'agent:2' } };
const NEW = { sourceRevisionConfig: { fields: { imageURI: 'agent:2' } } };
const OLD = { sourceRevisionConfig: { fields: { imageURI: 'agent:1' } } };
const MADE = { latestRevisionID: 'rev-2' };
const TOKEN = secretsOf({ TOKEN: 'new' });
const SHOWN_TOKEN = { ...OLD, secrets: [{ name: 'TOKEN' }] };

const GRAPH = 'sourceRevisionConfig.graphConfigPath';
const CPU = 'sourceConfig.resourceSpec.cpu';
const OLD_IMAGE = DIGESTS.bind(
  'field',
  IMAGE,
  DIGESTS.part(`${IMAGE}\n${canonicalText('agent:1', { kind: 'exact' })}`),
);
const EMPTIED = { spec: { clear: [URL_PATH] } as Partial<DeploymentSpec>, pending: { paths: [URL_PATH] } };
/** The desired token was sent once, and counts as applied. */
const SENT_TOKEN: Applied = {
  ...NOTHING,
  fields: new Map([['secrets', { a: '' }]]),
  secrets: new Map([['TOKEN', secretDigest('TOKEN', new SecretValue('new'), DIGESTS)]]),
};

const ASKED = compared({ spec: SPEC, observed: OLD });
const ASKED_NEW = requestDigest(bodyPart([IMAGE], ASKED.judgements, ASKED.secrets, DIGESTS), DIGESTS);
/** The spec has changed since the request was announced. */
const EDITED = { spec: { sourceRevisionConfig: { imageURI: 'agent:3' } } };

/** A first list, whose value the service shows beside a secret that the list should remove. */
const FIRST_LIST = {
  secrets: TOKEN,
  secretsListed: true,
  pending: { paths: ['secrets'] },
} as const;
const SHOWN_WITH_OTHER = { secrets: [{ name: 'TOKEN', value: new SecretValue('new') }, { name: 'OTHER' }] };

const ROWS: readonly Row[] = [
  {
    name: 'the value of a first list is shown beside a secret that the list should remove',
    because: 'the value may have been there before',
    ...FIRST_LIST,
    observed: SHOWN_WITH_OTHER,
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the same is shown under a new revision',
    because: 'the service may keep what a list leaves out',
    ...FIRST_LIST,
    observed: { ...SHOWN_WITH_OTHER, ...MADE },
    want: { kind: 'proven', paths: ['secrets'] },
  },
  {
    name: 'the value is shown without any revision, after one',
    because: 'a deployment never loses its revisions, so the read is older than them all',
    spec: SPEC,
    observed: { ...NEW, latestRevisionID: null },
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the value is shown',
    because: 'no other cause is possible',
    observed: NEW,
    want: { kind: 'proven', paths: [IMAGE] },
  },
  {
    name: 'the value is shown by a read begun before the announcement',
    because: 'it was so before, and proves nothing about our write',
    observed: NEW,
    beganMs: NOW_MS + ANNOUNCED_MS,
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the value is shown, and the spec now declares another one',
    because: 'this is no longer the announced request',
    observed: NEW,
    pending: { bodyDigest: 'another' },
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the announced value is shown, and the spec now declares another one',
    because: 'its digest is that of the announcement',
    ...EDITED,
    observed: NEW,
    pending: { bodyDigest: ASKED_NEW },
    beganMs: NOW_MS - 1,
    want: { kind: 'proven', paths: [IMAGE], edited: true },
  },
  {
    name: 'the announced value, the spec now declares another one, and the read is older than the announcement',
    because: 'it was so before, and proves nothing about our write',
    ...EDITED,
    observed: NEW,
    pending: { bodyDigest: ASKED_NEW },
    beganMs: NOW_MS + ANNOUNCED_MS,
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the announced value, the spec now declares another one, and the window of the write before is open',
    because: 'a lagging list may show the value from before that write',
    ...EDITED,
    observed: NEW,
    pending: { bodyDigest: ASKED_NEW },
    beganMs: NOW_MS - 1,
    settledMs: NOW_MS,
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the announced value is not shown, and the spec now declares another one',
    because: 'a value that is not shown proves nothing',
    ...EDITED,
    observed: { sourceRevisionConfig: { fields: {} } },
    pending: { bodyDigest: ASKED_NEW },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [IMAGE], theirs: [], edited: true },
  },
  {
    name: 'the old value, within the window',
    because: 'the write may still arrive',
    observed: OLD,
    beganMs: NOW_MS - 1,
    secondRead: true,
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the old value after the window, in one read',
    because: 'one read proves nothing',
    observed: OLD,
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'the old value after the window, in two reads',
    because: 'it was not applied',
    observed: OLD,
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [IMAGE], theirs: [] },
  },
  {
    name: 'the old value and a new revision',
    because: 'a shown value takes precedence over the revision',
    observed: { ...OLD, ...MADE },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [IMAGE], theirs: [] },
  },
  {
    name: 'one of two values is shown',
    because: 'a write may be applied in part',
    spec: { ...SPEC, sourceConfig: { customURL: 'https://new.example.com' } },
    observed: { ...NEW, sourceConfig: { fields: { customURL: 'https://old.example.com' } } },
    pending: { paths: [IMAGE, URL_PATH] },
    secondRead: true,
    want: { kind: 'disproven', paths: [IMAGE], lost: [URL_PATH], theirs: [] },
  },
  {
    name: 'secrets as they were sent, and another value that is not',
    because: 'each path is judged separately',
    secrets: TOKEN,
    observed: { ...OLD, secrets: [{ name: 'TOKEN', value: new SecretValue('new') }] },
    pending: { paths: [IMAGE, 'secrets'] },
    secondRead: true,
    want: { kind: 'disproven', paths: ['secrets'], lost: [IMAGE], theirs: [] },
  },
  {
    name: 'secrets with the declared values, and another value that was edited since',
    because: 'a value shown in plain text is there, regardless of later edits',
    secrets: TOKEN,
    observed: { ...OLD, secrets: [{ name: 'TOKEN', value: new SecretValue('new') }] },
    pending: { paths: [IMAGE, 'secrets'], bodyDigest: 'another' },
    secondRead: true,
    want: { kind: 'disproven', paths: ['secrets'], lost: [IMAGE], theirs: [], edited: true },
  },
  {
    name: 'secrets with their new declared values, and another request within the window',
    because: 'the announced write may still arrive',
    secrets: TOKEN,
    spec: {},
    observed: { ...OLD, secrets: [{ name: 'TOKEN', value: new SecretValue('new') }] },
    pending: { paths: ['secrets'], bodyDigest: 'another' },
    beganMs: NOW_MS - 1,
    want: { kind: 'unknown', paths: [], untilMs: NOW_MS },
  },
  {
    name: 'one of two sent names is listed',
    because: 'all of them were sent',
    secrets: secretsOf({ TOKEN: 'new', OTHER: 'new' }),
    spec: {},
    observed: { ...SHOWN_TOKEN, ...MADE },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: ['secrets'], theirs: [] },
  },
  {
    name: 'a value that is never shown, and a new revision',
    because: 'no other proof is possible',
    spec: { sourceRevisionConfig: { graphConfigPath: 'graph.json' } },
    observed: { ...OLD, ...MADE },
    pending: { paths: [GRAPH] },
    want: { kind: 'proven', paths: [GRAPH] },
  },
  {
    name: 'a value that lists show elsewhere and not here, and a new revision',
    because: 'another client emptied it, and the revision may belong to that client',
    spec: { sourceRevisionConfig: { graphConfigPath: 'graph.json' } },
    observed: { ...OLD, ...MADE },
    pending: { paths: [GRAPH] },
    listedPaths: [GRAPH],
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [GRAPH], theirs: [] },
  },
  {
    name: 'a value that is no longer shown, to a process that has not seen lists show it, and a new revision',
    because: 'the status has its earlier shown value: another client emptied it',
    observed: { sourceRevisionConfig: { fields: {} }, ...MADE },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [IMAGE], theirs: [] },
  },
  {
    name: 'a key of a resource spec that is shown without it, and a new revision',
    because: 'the other keys are shown, and the revision may belong to another client',
    spec: { sourceConfig: { resourceSpec: { cpu: 2 } } },
    observed: {
      ...OLD,
      sourceConfig: { fields: {}, resourceSpec: { fields: { memoryMB: 512 }, unknown: {} } },
      ...MADE,
    },
    pending: { paths: [CPU] },
    inLists: false,
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [CPU], theirs: [] },
  },
  {
    name: 'a value that is never shown, beside one that is shown as before, and a new revision',
    because: 'a request is applied as a whole: the revision belongs to another client',
    spec: { ...SPEC, sourceRevisionConfig: { imageURI: 'agent:2', graphConfigPath: 'graph.json' } },
    applied: { ...NOTHING, fields: new Map([[IMAGE, { a: 'A', b: OLD_IMAGE }]]) },
    observed: { ...OLD, ...MADE },
    pending: { paths: [IMAGE, GRAPH] },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [IMAGE, GRAPH], theirs: [] },
  },
  {
    name: 'a value that is never shown, beside one that changed to a third value, and a new revision',
    because: 'the service may normalize the requested value',
    spec: { ...SPEC, sourceRevisionConfig: { imageURI: 'agent:2', graphConfigPath: 'graph.json' } },
    applied: { ...NOTHING, fields: new Map([[IMAGE, { a: 'A', b: 'B' }]]) },
    observed: { ...OLD, ...MADE },
    pending: { paths: [IMAGE, GRAPH] },
    secondRead: true,
    want: { kind: 'disproven', paths: [GRAPH], lost: [IMAGE], theirs: [] },
  },
  {
    name: 'a value that is never shown, beside one that the write was to empty and that is still shown, and a new revision',
    because: 'the service empties fields or refuses to, so the revision belongs to another client',
    nullsCount: true,
    spec: { sourceRevisionConfig: { graphConfigPath: 'graph.json' }, clear: [IMAGE] },
    observed: { ...OLD, ...MADE },
    pending: { paths: [IMAGE, GRAPH] },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [IMAGE, GRAPH], theirs: [] },
  },
  {
    name: 'the same at a service that may ignore nulls',
    because: 'the write may have made the revision, and secrets in it are not sent a second time',
    spec: { sourceRevisionConfig: { graphConfigPath: 'graph.json' }, clear: [IMAGE] },
    observed: { ...OLD, ...MADE },
    pending: { paths: [IMAGE, GRAPH] },
    secondRead: true,
    want: { kind: 'disproven', paths: [GRAPH], lost: [IMAGE], theirs: [] },
  },
  {
    name: 'a field that had to be emptied is no longer shown',
    because: 'it was shown before',
    ...EMPTIED,
    applied: { ...NOTHING, fields: new Map([[URL_PATH, { a: 'A', b: 'B' }]]) },
    observed: { sourceConfig: { fields: {} } },
    want: { kind: 'proven', paths: [URL_PATH] },
  },
  {
    name: 'a field that had to be emptied for the first time is no longer shown',
    because: 'the status has its earlier shown value, even in another process',
    spec: { clear: [IMAGE] },
    observed: { sourceRevisionConfig: { fields: {} } },
    want: { kind: 'proven', paths: [IMAGE] },
  },
  {
    name: 'a field that had to be emptied is not shown, as before',
    because: 'no visible change occurred',
    ...EMPTIED,
    applied: { ...NOTHING, fields: new Map([[URL_PATH, { a: 'A' }]]) },
    observed: { sourceConfig: { fields: {} } },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [URL_PATH], theirs: [] },
  },
  {
    name: 'a field that had to be emptied is still shown',
    because: 'it was not emptied',
    ...EMPTIED,
    applied: { ...NOTHING, fields: new Map([[URL_PATH, { a: 'A', b: 'B' }]]) },
    observed: { sourceConfig: { fields: { customURL: 'https://old.example.com' } } },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [URL_PATH], theirs: [] },
  },
  {
    name: 'a field that had to be set is no longer shown',
    because: 'that proves only an emptied field',
    spec: { sourceConfig: { customURL: 'https://new.example.com' } },
    pending: { paths: [URL_PATH] },
    applied: { ...NOTHING, fields: new Map([[URL_PATH, { a: 'A', b: 'B' }]]) },
    observed: { sourceConfig: { fields: {} } },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [URL_PATH], theirs: [] },
  },
  {
    name: 'masked secrets and a new revision',
    because: 'a client made a revision, and no other client is visible',
    secrets: TOKEN,
    spec: {},
    observed: { ...SHOWN_TOKEN, ...MADE },
    want: { kind: 'proven', paths: ['secrets'] },
  },
  {
    name: 'masked secrets and no new revision',
    because: 'nothing shows that they arrived',
    secrets: TOKEN,
    spec: {},
    observed: SHOWN_TOKEN,
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: ['secrets'], theirs: [] },
  },
  {
    name: 'a new revision, and a sent name that is not listed',
    because: 'the list contradicts it',
    secrets: TOKEN,
    spec: {},
    observed: { ...OLD, secrets: [{ name: 'OTHER' }], ...MADE },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: ['secrets'], theirs: [] },
  },
  {
    name: 'a new revision, and a secret of others that the sent list should remove',
    because: 'the list contradicts it',
    secrets: TOKEN,
    spec: {},
    observed: { ...OLD, secrets: [{ name: 'TOKEN' }, { name: 'OTHER' }], ...MADE },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: ['secrets'], theirs: [] },
  },
  {
    name: 'a new revision, and a secret of others that may stay',
    because: 'the service adds the sent secrets to its list, or what others add is only reported',
    secrets: TOKEN,
    spec: {},
    observed: { ...OLD, secrets: [{ name: 'TOKEN' }, { name: 'OTHER' }], ...MADE },
    othersMayStay: true,
    want: { kind: 'proven', paths: ['secrets'] },
  },
  {
    name: 'a new revision, and an empty list where none was ever listed',
    because: 'the service does not list any secrets',
    secrets: TOKEN,
    spec: {},
    observed: { ...OLD, secrets: [], ...MADE },
    secretsListed: false,
    want: { kind: 'proven', paths: ['secrets'] },
  },
  {
    name: 'masked secrets, and a new revision of another commit',
    because: 'a push makes revisions too',
    secrets: TOKEN,
    spec: {},
    observed: {
      ...SHOWN_TOKEN,
      ...MADE,
      sourceRevisionConfig: { fields: { imageURI: 'agent:1' }, repoCommitSHA: COMMIT },
    },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: ['secrets'], theirs: [] },
  },
  {
    name: 'masked secrets, and a new revision with another image',
    because: 'no request declared it: another client edited the deployment',
    secrets: TOKEN,
    spec: {},
    observed: { ...SHOWN_TOKEN, ...MADE, ...NEW },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: ['secrets'], theirs: [] },
  },
  {
    name: 'another list of secrets was requested, and the shown list is now declared',
    because: 'the declared secrets are there, and no others',
    secrets: TOKEN,
    spec: {},
    observed: { ...OLD, secrets: [{ name: 'TOKEN', value: new SecretValue('new') }] },
    applied: SENT_TOKEN,
    pending: { bodyDigest: 'another' },
    secondRead: true,
    want: { kind: 'proven', paths: ['secrets'], edited: true },
  },
  {
    name: 'a branch shown as its commit, and no new revision',
    because: 'the commit may belong to the branch before',
    spec: { sourceRevisionConfig: { repoRef: 'main' } },
    observed: { sourceRevisionConfig: { fields: { repoRef: COMMIT }, repoCommitSHA: COMMIT } },
    pending: { paths: [REF], baseCommitSHA: COMMIT },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [REF], theirs: [] },
  },
  {
    name: 'a redeploy and a new revision',
    because: 'it requests only a revision',
    observed: { ...OLD, ...MADE },
    pending: { paths: [] },
    want: { kind: 'proven', paths: [] },
  },
  {
    name: 'a redeploy and a revision that was seen before it was announced',
    because: 'a list that lags shows it again',
    observed: { ...OLD, ...MADE },
    pending: { paths: [] },
    revisions: [{ id: 'rev-2', firstSeenTime: at(ANNOUNCED_MS), cause: 'External' }],
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [], theirs: [] },
  },
  {
    name: 'a redeploy and a revision that this process saw before it found the announcement of another',
    because: 'that process died before it recorded the revision',
    observed: { ...OLD, ...MADE },
    pending: { paths: [] },
    foundRevisionID: 'rev-2',
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [], theirs: [] },
  },
  {
    name: 'a redeploy and no new revision',
    because: 'it did not happen',
    observed: OLD,
    pending: { paths: [] },
    secondRead: true,
    want: { kind: 'disproven', paths: [], lost: [], theirs: [] },
  },
];

describe('the evidence of a read for an announced write', () => {
  test.each(ROWS)('$name: $because', (row) => {
    expect(judged(row)).toEqual(row.want);
  });

  test('of a creation proves its secrets, if they are shown in plain text', () => {
    const shown = { ...OLD, secrets: [{ name: 'TOKEN', value: new SecretValue('new') }] };
    const base: Row = { name: '', because: '', secrets: TOKEN, observed: shown, want: {} };
    expect(judged({ ...base, pending: { operation: 'Create' } })).toEqual({
      kind: 'proven',
      paths: ['secrets'],
    });
    expect(judged({ ...base, observed: SHOWN_TOKEN, pending: { operation: 'Create' } })).toEqual({
      kind: 'none',
    });
    const earlier = { beganMs: NOW_MS + ANNOUNCED_MS, pending: { operation: 'Create' } } as const;
    expect(judged({ ...base, ...earlier })).toEqual({ kind: 'none' });
  });

  test('of a creation, a deletion or no write is not judged by paths', () => {
    const base: Row = { name: '', because: '', observed: NEW, want: {} };
    expect(judged({ ...base, pending: { operation: 'Create' } })).toEqual({ kind: 'none' });
    expect(judged({ ...base, pending: { operation: 'Delete' } })).toEqual({ kind: 'none' });
  });
});

test('secrets have one digest, regardless of their order', () => {
  const of = (values: Record<string, string>): string =>
    secretsDigest(compared({ secrets: secretsOf(values), observed: OLD }).secrets, DIGESTS);
  expect(of({ A: '1', B: '2', C: '3' })).toBe(of({ C: '3', A: '1', B: '2' }));
  expect(of({ A: '1' })).not.toBe(of({ A: '2' }));
});

test('a request has one digest for the values of its paths, and ignores other paths', () => {
  const of = (imageURI: string, secret: string, paths: readonly string[]): string => {
    const spec = { sourceRevisionConfig: { imageURI } };
    const { judgements, secrets } = compared({ spec, secrets: secretsOf({ A: secret }), observed: OLD });
    return requestDigest(bodyPart(paths, judgements, secrets, DIGESTS), DIGESTS);
  };
  expect(of('a:1', '1', [IMAGE])).toBe(of('a:1', '2', [IMAGE]));
  expect(of('a:1', '1', [IMAGE])).not.toBe(of('a:2', '1', [IMAGE]));
  expect(of('a:1', '1', ['secrets'])).toBe(of('a:2', '1', ['secrets']));
  expect(of('a:1', '1', ['secrets'])).not.toBe(of('a:1', '2', ['secrets']));
  expect(of('a:1', '1', [IMAGE])).not.toBe(of('a:1', '1', [IMAGE, 'secrets']));
});

describe('the applied state after the write', () => {
  const applied: Applied = {
    fields: new Map([
      [IMAGE, { a: 'A', b: 'B' }],
      [URL_PATH, { a: 'U', b: 'U' }],
      ['secrets', { a: 'S', b: 'N' }],
    ]),
    secrets: new Map([['TOKEN', 'old']]),
    keyLost: false,
  };
  const { judgements, secrets } = compared({ spec: SPEC, secrets: TOKEN, observed: NEW });
  const after = (evidence: Evidence) => withEvidence(applied, evidence, judgements, secrets);

  test('is unchanged while the outcome is unknown', () => {
    expect(after({ kind: 'unknown', paths: [], untilMs: 0 })).toBe(applied);
    expect(after({ kind: 'none' })).toBe(applied);
  });

  test('is the new value if it is proven, and the old state elsewhere', () => {
    const { fields, secrets: kept } = after({ kind: 'proven', paths: [IMAGE] });
    expect(fields.get(IMAGE)).toEqual({ a: judgements[0]?.digests.desired, was: 'B' });
    expect(fields.get(URL_PATH)).toEqual({ a: 'U', b: 'U' });
    expect(kept).toBe(applied.secrets);
  });

  test('is the shown value if it is proven after an edit: the new value is still to be sent', () => {
    const edited = compared({ spec: { sourceRevisionConfig: { imageURI: 'agent:3' } }, observed: NEW });
    const proven = { kind: 'proven', paths: [IMAGE], edited: true } as const;
    const { fields } = withEvidence(applied, proven, edited.judgements, secrets);
    expect(fields.get(IMAGE)).toEqual({ a: judgements[0]?.digests.desired, was: 'B' });
  });

  test('has the value shown before the write as its baseline, if it had none', () => {
    const recorded = { sourceRevisionConfig: { imageURI: 'agent:1' } };
    const known = { recorded, digests: DIGESTS };
    const { fields } = withEvidence(NOTHING, { kind: 'proven', paths: [IMAGE] }, judgements, secrets, known);
    const old = compared({ spec: SPEC, observed: OLD }).judgements[0]?.digests.shown;
    expect(fields.get(IMAGE)).toEqual({ a: judgements[0]?.digests.desired, was: old });
  });

  test('is empty if the write is lost, so that it is sent once more', () => {
    const { fields } = after({ kind: 'disproven', paths: [], lost: [IMAGE], theirs: [] });
    expect([...fields.keys()]).toEqual([URL_PATH, 'secrets']);
  });

  test('has the digests of proven secrets', () => {
    const { fields, secrets: proven } = after({ kind: 'proven', paths: ['secrets'] });
    expect(proven).toEqual(secrets.digests);
    expect(fields.get('secrets')).toEqual({ a: '' });
  });

  test('keeps a name that left the spec and that may have been sent: it must still be removed', () => {
    const had = { ...applied, secrets: new Map([['GONE', 'old']]) };
    const provenBy = (evidence: Evidence) => withEvidence(had, evidence, judgements, secrets).secrets;
    expect(provenBy({ kind: 'proven', paths: ['secrets'] }).get('GONE')).toBe('');
    expect(provenBy({ kind: 'proven', paths: ['secrets'], edited: true }).get('GONE')).toBe('old');
  });

  test('keeps the names of lost secrets: they remain ours to remove', () => {
    const { fields, secrets: lost } = after({ kind: 'disproven', paths: [], lost: ['secrets'], theirs: [] });
    expect(fields.has('secrets')).toBe(false);
    expect([...lost]).toEqual([['TOKEN', '']]);
  });
});

function compared({
  spec,
  secrets,
  observed,
  applied = NOTHING,
  inLists = true,
}: Pick<Row, 'spec' | 'secrets' | 'observed' | 'applied' | 'inLists'>) {
  const seen = anObserved(observed);
  const desired = desiredDeployment(
    { source: 'external_container', ...spec },
    secrets ?? { kind: 'unmanaged' },
  );
  return {
    judgements: judgeFields(desired, applied, seen, {
      settling: () => false,
      standsIn: () => false,
      emptyInList: () => true,
      isGone: () => false,
      isDropped: () => false,
      unseen: () => false,

      notShown: () => 'drift',
      listed: true,
      inLists: () => inLists,
      digests: DIGESTS,
    }),
    secrets: judgeSecrets(
      desired.secrets,
      applied,
      seen,
      {
        ownership: 'Exclusive',
        secretsListed: true,
        listed: true,
        listShowsWrites: true,
        listFollowsWrites: true,
        leftOutOrLost: [],
        listIsNewer: false,
        secretsPlain: false,
        visibility: undefined,
        revisionMoved: false,
        plainLists: { current: false, seen: [] },
        listsMerge: false,
        createdByUs: false,
        holdUnproven: false,
      },
      DIGESTS,
    ),
  };
}

function judged(row: Row): Evidence {
  const comparison = compared({ ...row, spec: row.spec ?? SPEC });
  const paths = row.pending?.paths ?? [row.secrets === undefined ? IMAGE : 'secrets'];
  const pending: PendingWrite = {
    operation: 'Patch',
    bodyDigest: requestDigest(bodyPart(paths, comparison.judgements, comparison.secrets, DIGESTS), DIGESTS),
    baseRevisionID: 'rev-1',
    generation: 1,
    attempt: 1,
    time: at(ANNOUNCED_MS),
    ...row.pending,
    paths: [...paths],
  };
  return judgePending(pending, {
    ...comparison,
    observed: anObserved(row.observed),
    generation: 1,
    recorded: { sourceRevisionConfig: { imageURI: 'agent:1' } },
    revisions: row.revisions,
    foundRevisionID: row.foundRevisionID,
    secretsListed: row.secretsListed ?? true,
    othersMayStay: row.othersMayStay ?? false,
    reports: row.reports ?? false,
    nullsCount: row.nullsCount ?? false,
    listedPaths: new Set(row.listedPaths),
    beganMs: row.beganMs ?? NOW_MS,
    settledMs: row.settledMs ?? 0,
    digests: DIGESTS,
    untilMs: NOW_MS,
    secondRead: row.secondRead ?? false,
  });
}
