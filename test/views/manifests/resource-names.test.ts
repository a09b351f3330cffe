import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataProblems } from '../../../src/api/checks/metadata-problems.ts';
import { resourceNames } from '../../../src/views/manifests/adoption.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';

function namesOf(...deployments: readonly (readonly [id: string, name: string])[]): readonly unknown[] {
  const names = resourceNames(deployments.map(([id, name]) => ({ id, name })));
  return deployments.map(([id]) => names.get(id));
}

describe('names of resources', () => {
  it.each([
    ['support-agent', 'support-agent'],
    ['agent.v1', 'agent.v1'],
    ['Sales Agent (EMEA)', 'sales-agent-emea'],
    ['Café_Übersetzer', 'cafe-ubersetzer'],
    ['--a..b--', 'a.b'],
    ['日本', `deployment-aaaaaaaa`],
    ['', `deployment-aaaaaaaa`],
  ])('makes of %j %j', (name, expected) => {
    expect(namesOf([A, name])).toEqual([expected]);
  });

  it('keep a matching name, regardless of the order of the list', () => {
    expect(namesOf([A, 'Agent'], [B, 'agent'])).toEqual(['agent-aaaaaaaa', 'agent']);
    expect(namesOf([B, 'agent'], [A, 'Agent'])).toEqual(['agent', 'agent-aaaaaaaa']);
  });

  it('contain a part of the id for all deployments with the same name', () => {
    expect(namesOf([A, 'agent'], [B, 'agent'])).toEqual(['agent-aaaaaaaa', 'agent-bbbbbbbb']);
  });

  it('contain the whole id if a part of it makes the name of another', () => {
    expect(namesOf([A, 'Agent'], [B, 'agent'], ['c', 'agent-aaaaaaaa'])).toEqual([
      `agent-${A}`,
      'agent',
      'agent-aaaaaaaa',
    ]);
  });

  it('are valid in Kubernetes and unique for any names, regardless of the order', () => {
    const names = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'A', 'a-', 'a.', 'ä')),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(names, (texts) => {
        const deployments = texts.map((name, at) => ({ id: `0000000${at % 3}-${at}`, name }));
        const found = resourceNames(deployments);
        expect(new Set(found.values()).size).toBe(texts.length);
        for (const name of found.values()) expect(metadataProblems({ name: `${name}-secrets` })).toEqual([]);
        expect(resourceNames(deployments.toReversed())).toEqual(found);
      }),
    );
  });

  it('leave room for a suffix if a name has the maximum length', () => {
    const [name] = namesOf([A, 'a'.repeat(300)]);
    expect(metadataProblems({ name: `${String(name)}-secrets` })).toEqual([]);
    expect(`${String(name)}.yaml.new`.length).toBeLessThan(256);
  });
});
