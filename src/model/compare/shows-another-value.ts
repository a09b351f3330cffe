import { isEmpty } from '../desired/canonical-text.ts';
import { isSpelling } from '../external/is-spelling.ts';
import { looksLikeCommit } from '../external/shown.ts';
import type { Judgement } from './judge-fields.ts';

/**
 * True for a text, list or object that is shown with another value than the declared one, and not in the service's own
 * form. A flag or a number may be a default, or rounded. The service may show a branch as any commit.
 */
export function showsAnotherValue({ desired: { value }, shown, digests }: Judgement): boolean {
  if (typeof shown === 'boolean' || typeof shown === 'number') return false;
  if (isEmpty(value) || isEmpty(shown)) return false;
  if (digests.shown === digests.desired || isSpelling(value, shown)) return false;
  return looksLikeCommit(value) || !looksLikeCommit(shown);
}
