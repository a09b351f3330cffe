import { isEmpty } from '../desired/canonical-text.ts';
import { isSpelling } from '../external/is-spelling.ts';
import { looksLikeCommit } from '../external/shown.ts';
import type { Judgement } from './judge-fields.ts';

/**
 * True for a field that is shown with another value than the declared one, and not in the service's own form: a request
 * that asked for the declared value did not make what is shown. The service may show a branch as any commit.
 */
export function showsAnotherValue({ desired: { value }, shown }: Judgement): boolean {
  if (isEmpty(value) || isEmpty(shown) || isSpelling(value, shown)) return false;
  return looksLikeCommit(value) || !looksLikeCommit(shown);
}
