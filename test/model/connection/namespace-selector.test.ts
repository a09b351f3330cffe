import { describe, expect, test } from 'vitest';
import {
  knownLabels,
  type NamespaceSelector,
  selects,
} from '../../../src/model/connection/namespace-selector.ts';

const LABELS = { team: 'payments', tier: '' };
const read = knownLabels('team-a', LABELS);
const unread = knownLabels('team-a', undefined);

type Operator = NonNullable<NamespaceSelector['matchExpressions']>[number]['operator'];

function expression(key: string, operator: Operator, ...values: string[]): NamespaceSelector {
  return { matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values }) }] };
}

describe('a namespace selector', () => {
  test.each<[string, NamespaceSelector | undefined, boolean]>([
    ['that is absent selects no namespace', undefined, false],
    ['that is empty selects every namespace', {}, true],
    ['with empty parts selects every namespace', { matchLabels: {}, matchExpressions: [] }, true],
    ['by a label with its value', { matchLabels: { team: 'payments' } }, true],
    ['by a label with another value', { matchLabels: { team: 'search' } }, false],
    ['by a missing label', { matchLabels: { owner: 'payments' } }, false],
    ['by an existing empty value', { matchLabels: { tier: '' } }, true],
    ['by an empty value of a missing label', { matchLabels: { owner: '' } }, false],
    ['by the name that every namespace is labelled with', { matchLabels: nameLabel('team-a') }, true],
    ['by the name of another namespace', { matchLabels: nameLabel('team-b') }, false],
    ['by two labels, one of them different', { matchLabels: { team: 'payments', tier: '1' } }, false],
    ['In, with the value', expression('team', 'In', 'search', 'payments'), true],
    ['In, without the value', expression('team', 'In', 'search'), false],
    ['In, of a missing label', expression('owner', 'In', 'payments'), false],
    ['NotIn, without the value', expression('team', 'NotIn', 'search'), true],
    ['NotIn, with the value', expression('team', 'NotIn', 'payments'), false],
    ['NotIn, of a missing label', expression('owner', 'NotIn', 'payments'), true],
    ['Exists', expression('tier', 'Exists'), true],
    ['Exists, of a missing label', expression('owner', 'Exists'), false],
    ['DoesNotExist', expression('owner', 'DoesNotExist'), true],
    ['DoesNotExist, of an existing label', expression('tier', 'DoesNotExist'), false],
    ['of an inherited property', expression('constructor', 'Exists'), false],
    ['by labels and expressions together', both('payments'), true],
    ['by labels that match and expressions that do not', both('search'), false],
  ])('%s', (_, selector, selected) => {
    expect(selects(selector, read)).toBe(selected);
  });

  test.each<[string, NamespaceSelector, boolean]>([
    ['an empty selector still selects every namespace', {}, true],
    ['the name is known nevertheless', { matchLabels: nameLabel('team-a') }, true],
    ['the name can be excluded', expression('kubernetes.io/metadata.name', 'NotIn', 'team-a'), false],
    ['another name can be excluded', expression('kubernetes.io/metadata.name', 'NotIn', 'team-b'), true],
    ['a label counts as missing', { matchLabels: { team: 'payments' } }, false],
    ['a label that must be missing may exist', expression('restricted', 'DoesNotExist'), false],
    ['a forbidden value may exist', expression('restricted', 'NotIn', 'yes'), false],
  ])('where labels could not be read: %s', (_, selector, selected) => {
    expect(selects(selector, unread)).toBe(selected);
  });

  test('does not believe a label that gives a namespace another name', () => {
    const forged = knownLabels('team-a', nameLabel('team-b'));
    expect(selects({ matchLabels: nameLabel('team-b') }, forged)).toBe(false);
  });
});

function nameLabel(namespace: string): Record<string, string> {
  return { 'kubernetes.io/metadata.name': namespace };
}

function both(team: string): NamespaceSelector {
  return {
    matchLabels: { tier: '' },
    matchExpressions: [
      { key: 'team', operator: 'In', values: [team] },
      { key: 'owner', operator: 'DoesNotExist' },
    ],
  };
}
