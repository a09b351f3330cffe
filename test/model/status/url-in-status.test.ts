import { expect, test } from 'vitest';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { observedConfig, revisionsAfter } from '../../../src/model/recorded/record-facts.ts';
import { carriesOtherChanges } from '../../../src/model/compare/proven-by-revision.ts';
import { aResource } from '../../support/resources/builders.ts';

const IMAGE = 'https://user:pass-1234@registry.test/app:1?sig=abcd';
const TARBALL = 'https://user:pass-1234@store.test/a.tgz?sig=abcd';

function showing(fields: Readonly<Record<string, string>>): ObservedDeployment {
  return { sourceRevisionConfig: { fields } } as unknown as ObservedDeployment;
}

test('a status repeats URLs without their login and query', () => {
  const shown = observedConfig(showing({ imageURI: IMAGE, sourceTarballPath: TARBALL, repoRef: 'a?b' }));
  expect(shown?.sourceRevisionConfig).toEqual({
    imageURI: 'https://registry.test/app:1',
    sourceTarballPath: 'https://store.test/a.tgz',
    repoRef: 'a?b',
  });
});

test('the omitted part of a URL may hide a change; the same full URL in an older status does not', () => {
  const plain = 'https://store.test/a.tgz';
  const recorded = { sourceRevisionConfig: { sourceTarballPath: plain } };
  expect(carriesOtherChanges([], { observed: showing({ sourceTarballPath: plain }), recorded })).toBe(false);
  expect(carriesOtherChanges([], { observed: showing({ sourceTarballPath: TARBALL }), recorded })).toBe(true);
  const older = { sourceRevisionConfig: { sourceTarballPath: TARBALL } };
  expect(
    carriesOtherChanges([], { observed: showing({ sourceTarballPath: TARBALL }), recorded: older }),
  ).toBe(false);
});

test('revisions recorded by an earlier version lose the login and query of their image', () => {
  const recorded = {
    id: 'r1',
    firstSeenTime: '2026-11-20T00:00:00Z',
    cause: 'Operator',
    imageURI: IMAGE,
  } as const;
  const resource = aResource({ source: 'external_container' }, { status: { revisions: [recorded] } });
  const observed = { ...showing({}), latestRevisionID: 'r1' };
  expect(revisionsAfter(resource, observed, false, 0)).toEqual([
    { ...recorded, imageURI: 'https://registry.test/app:1' },
  ]);
});
