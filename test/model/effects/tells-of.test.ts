import { describe, expect, test } from 'vitest';
import { tellsOf } from '../../../src/model/effects/tells-of.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { PatchBody } from '../../../src/model/external/patch-body.ts';
import { anObserved } from '../../support/resources/builders.ts';

const url = (customURL: string | null): Partial<ObservedDeployment> => ({
  sourceConfig: { fields: { customURL } },
});
const body: PatchBody = { sourceConfig: { fields: { customURL: 'https://A.example.com' } } };

test('an answer with the spelling of the service tells of a write', () => {
  const before = anObserved(url(null));
  const answer = anObserved(url('https://a.example.com/'));
  expect(tellsOf({ before, body }, answer)).toBe(true);
  expect(tellsOf({ before, body }, anObserved(url('https://b.example.com'))), 'another value').toBe(false);
  expect(tellsOf({ before: answer, body }, answer), 'it was there before').toBe(false);
});

describe('while no look has shown an earlier write, an answer to the next one tells nothing by', () => {
  const beside = (fields: JsonObject): Partial<ObservedDeployment> => ({
    sourceConfig: { fields: { installCommand: 'npm ci', ...fields } },
  });
  const before = anObserved({ ...beside({}), latestRevisionID: 'one' });
  const image: PatchBody = { sourceRevisionConfig: { imageURI: 'agent:2' } };
  const next: PatchBody = { ...body, ...image };

  test('a new revision', () => {
    const answer = { ...before, latestRevisionID: 'two' };
    expect(tellsOf({ before, body }, answer)).toBe(true);
    expect(tellsOf({ before, body, unproven: [image] }, answer)).toBe(false);
    expect(tellsOf({ before, body, unproven: [{}] }, answer), 'by another process').toBe(false);
  });

  test('a value that both carry', () => {
    const answer = anObserved(beside({ customURL: 'https://A.example.com' }));
    expect(tellsOf({ before, body: next }, answer)).toBe(true);
    expect(tellsOf({ before, body: next, unproven: [body] }, answer)).toBe(false);
    const ours = { ...answer, sourceRevisionConfig: { fields: { imageURI: 'agent:2' } } };
    expect(tellsOf({ before, body: next, unproven: [body] }, ours), 'beside one of its own').toBe(true);
    const bare = anObserved(url('https://A.example.com'));
    expect(tellsOf({ before, body: next, unproven: [body] }, bare), 'nothing shown as kept').toBe(true);
  });
});
