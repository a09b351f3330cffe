import { describe, expect, test } from 'vitest';
import { tellsOf } from '../../../src/model/effects/tells-of.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { PatchBody } from '../../../src/model/external/patch-body.ts';
import { anObserved } from '../../support/resources/builders.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';

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
    const secrets: PatchBody = { secrets: [{ name: 'TOKEN', value: new SecretValue('value') }] };
    expect(tellsOf({ before, body: secrets }, answer)).toBe(true);
    expect(tellsOf({ before, body: secrets, unproven: [image] }, answer)).toBe(false);
    expect(tellsOf({ before, body: secrets, unproven: [{}] }, answer), 'by another process').toBe(false);
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

test('a new revision tells nothing of a write beside what it left out, if the answer lacks a requested value', () => {
  const shown = { installCommand: 'npm ci', customURL: 'https://was.example.com' };
  const before = anObserved({ sourceConfig: { fields: shown }, latestRevisionID: 'one' });
  const without = anObserved({ sourceConfig: { fields: { installCommand: 'npm ci' } } });
  expect(tellsOf({ before, body }, { ...without, latestRevisionID: 'two' })).toBe(false);
  const token = { name: 'TOKEN', value: new SecretValue('value') };
  const other = { ...without, secrets: [{ name: 'OTHER' }] };
  const secrets: PatchBody = { secrets: [token] };
  expect(
    tellsOf({ before: { ...before, ...other }, body: secrets }, { ...other, latestRevisionID: 'two' }),
  ).toBe(false);
  const removing = { before: { ...before, ...other }, body: { secrets: [] } };
  expect(tellsOf(removing, { ...other, latestRevisionID: 'two' }), 'or shows a removed one').toBe(false);
  const hidden = anObserved({ sourceConfig: { fields: {} }, latestRevisionID: 'two' });
  expect(tellsOf({ before, body }, hidden), 'nothing shown as kept').toBe(true);
});

test('a new revision tells nothing of a write that clears a field, if the answer shows another value there', () => {
  const withImage = (imageURI: string | null, latestRevisionID: string): ReturnType<typeof anObserved> =>
    anObserved({ sourceRevisionConfig: { fields: { ...KEPT, imageURI } }, latestRevisionID });
  const KEPT = { graphConfigPath: 'graph.json' };
  const sent = {
    before: withImage('r.example.com/agent:0', 'one'),
    body: { sourceRevisionConfig: { imageURI: null } },
  };
  expect(tellsOf(sent, withImage('r.example.com/agent:3', 'two')), 'of another client').toBe(false);
  expect(tellsOf(sent, withImage(null, 'two')), 'empty').toBe(true);
});

test('a value that the service may have had before a first write tells nothing under the same revision', () => {
  const shown = { installCommand: 'npm ci' };
  const mayBeThere = ['sourceConfig.customURL'];
  const before = anObserved({ sourceConfig: { fields: shown }, latestRevisionID: 'one' });
  const fields = { ...shown, customURL: 'https://A.example.com' };
  const answer = anObserved({ sourceConfig: { fields }, latestRevisionID: 'one' });
  expect(tellsOf({ before, body }, answer)).toBe(true);
  expect(tellsOf({ before, body, mayBeThere }, answer)).toBe(false);
  expect(tellsOf({ before, body, mayBeThere }, { ...answer, latestRevisionID: 'two' })).toBe(true);
  const empty = anObserved({ sourceConfig: { fields: {} }, latestRevisionID: 'one' });
  const repair: PatchBody = { sourceConfig: { fields: { ...fields } } };
  const lacking = anObserved({ ...empty, sourceConfig: { fields: { customURL: fields.customURL } } });
  const sent = { before: empty, body: repair, mayBeThere };
  expect(tellsOf(sent, lacking), 'the answer lacks another requested value').toBe(false);
  expect(tellsOf(sent, answer), 'the answer shows another requested value').toBe(true);
});

test('secrets that no look shows tell nothing beside changed values that the answer does not show', () => {
  const token = { name: 'TOKEN', value: new SecretValue('value') };
  const shown = { sourceConfig: { fields: { installCommand: 'npm ci' } } };
  const before = anObserved({ ...shown, secrets: [] });
  const sent: PatchBody = { ...body, secrets: [token] };
  const answer = anObserved({ ...shown, secrets: [token] });
  expect(tellsOf({ before, body: sent }, answer)).toBe(false);
  expect(tellsOf({ before, body: { secrets: [token] } }, answer), 'nothing else was changed').toBe(true);
  const listed = anObserved({ ...shown, secrets: [{ name: 'OTHER' }] });
  expect(tellsOf({ before: listed, body: sent }, answer), 'lists show secrets').toBe(true);
  const done = anObserved({
    sourceConfig: { fields: { ...shown.sourceConfig.fields, customURL: 'https://A.example.com' } },
  });
  expect(tellsOf({ before, body: sent }, { ...done, secrets: [token] }), 'the answer shows them').toBe(true);
  const lost = anObserved({ sourceConfig: { fields: { buildCommand: 'make' } }, secrets: [token] });
  const both = { ...shown.sourceConfig.fields, buildCommand: 'make' };
  const wider = anObserved({ sourceConfig: { fields: both }, secrets: [] });
  expect(tellsOf({ before: wider, body: sent }, lost), 'something is lost').toBe(true);
  const older = anObserved({ ...shown, secrets: [{ name: 'TOKEN', value: new SecretValue('older') }] });
  expect(tellsOf({ before, body: { secrets: [token] } }, older), 'with another value').toBe(false);
});

test('a requested value tells nothing beside a third value of another requested field', () => {
  const before = anObserved({
    sourceConfig: { fields: { installCommand: 'npm ci' } },
    latestRevisionID: 'one',
  });
  const asked = { customURL: 'https://A.example.com', buildCommand: 'make ours' };
  const sent = { before, body: { sourceConfig: { fields: asked } } };
  const shown = (buildCommand: string): ObservedDeployment =>
    anObserved({
      ...before,
      sourceConfig: { fields: { installCommand: 'npm ci', customURL: asked.customURL, buildCommand } },
    });
  expect(tellsOf(sent, shown('make ours'))).toBe(true);
  expect(tellsOf(sent, shown('make theirs')), 'of another client').toBe(false);
});
