import { expect, it } from 'vitest';
import { servingStep } from '../../../src/model/election/serving-step.ts';

it.each([
  [true, undefined, 'take'],
  [true, '', 'take'],
  [true, 'ns/ours', 'serve'],
  [true, 'ns/theirs', 'wait for its holder'],
  [false, undefined, 'leave alone'],
  [false, 'ns/ours', 'give up'],
  [false, 'ns/theirs', 'leave alone'],
])('selected: %s, served by %s: %s', (selected, servedBy, step) => {
  expect(servingStep(selected, servedBy, 'ns/ours')).toBe(step);
});
