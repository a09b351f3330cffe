import { describe, expect, it } from 'vitest';
import { errorText, wantsStack } from '../../../src/cli/program/error-text.ts';
import { UsageError } from '../../../src/config.ts';
import { ConnectionError, FailureError } from '../../../src/model/connection/failure.ts';
import { ExpectedError } from '../../../src/base/expected-error.ts';

describe('an error', () => {
  it.each([
    new UsageError('not that'),
    new ExpectedError('not that', { cause: new Error('hidden') }),
    new FailureError('not that', { kind: 'terminal', reason: 'Rejected', sent: 'no' }),
    new ConnectionError('not that', { reason: 'Unreachable', sent: 'perhaps' }),
  ])('that a person can fix is one line, with and without --debug: %s', (error) => {
    for (const stack of [false, true]) expect(errorText(error, 'dms', stack)).toBe('dms: not that');
  });

  it('that is unexpected is one line, with its places in the code only if they are requested', () => {
    const error = new TypeError('x is not\na function');
    expect(errorText(error, 'dms', false)).toBe(
      'dms: this is a bug, please report it with what --debug adds: TypeError: x is not a function',
    );
    const line = errorText(error, 'dms', true);
    expect(line).toMatch(/^dms: this is a bug, please report it: TypeError: x is not a function at \S.*$/);
    expect(line).toContain('error-text.test.ts');
  });

  it('may be any thrown value', () => {
    expect(errorText('words', 'dms', false)).toMatch(/: words$/);
    expect(errorText('words', 'dms', true)).toMatch(/: words$/);
  });

  it.each([
    { words: ['validate', '-f', 'a'], shown: false },
    { words: ['validate', '-f', 'run'], shown: false },
    { words: ['--debug', 'validate'], shown: true },
    { words: ['validate', '--debug', '-f', 'a'], shown: true },
    { words: ['validate', '--', '--debug'], shown: false },
    { words: ['run', '--dir', 'a'], shown: true },
  ])('shows its stack for $words: $shown', ({ words, shown }) => {
    expect(wantsStack(words, {})).toBe(shown);
  });

  it('shows its stack if a variable asks for it', () => {
    expect(wantsStack(['validate'], { DMS_OPERATOR_DEBUG: 'true' })).toBe(true);
    expect(wantsStack(['validate'], { DMS_OPERATOR_DEBUG: 'false' })).toBe(false);
  });
});
