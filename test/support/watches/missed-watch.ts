/**
 * A set-up file of every test file: whatever a test is about, no informer may miss an event unless the test says so.
 */
import { afterEach, expect } from 'vitest';
import { takeMissed } from './missed-events.ts';

afterEach(() => {
  expect(takeMissed(), 'changes that a list showed and the watch before it should have told').toBe(0);
});
