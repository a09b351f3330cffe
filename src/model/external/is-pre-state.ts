import { stableText } from '../desired/canonical-text.ts';
import type { Json } from '../../base/json.ts';
import { isSpelling } from './is-spelling.ts';
import type { ObservedDeployment } from './observation.ts';
import type { PatchBody } from './patch-body.ts';
import { isCommitOf } from './shown.ts';

/**
 * True if an answer shows the deployment from before the request, although the request asked for a different revision
 * block (N14): it proves nothing. Other fields do not count here, since the service may just ignore them. A key that the
 * list before the request hides counts as old if the answer shows another value than the request.
 */
export function isPreState(before: ObservedDeployment, body: PatchBody, answer: ObservedDeployment): boolean {
  const was = before.sourceRevisionConfig?.fields;
  const is = answer.sourceRevisionConfig?.fields;
  if (was === undefined || is === undefined || answer.latestRevisionID !== before.latestRevisionID)
    return false;
  const asked = Object.entries(body.sourceRevisionConfig ?? {}).filter(
    ([key, value]) => Object.hasOwn(is, key) && !same(was[key], value) && !isCommitOf(is[key], answer),
  );
  const isOld = ([key, value]: readonly [string, Json]): boolean =>
    Object.hasOwn(was, key) ? same(was[key], is[key]) : !same(is[key], value) && !isSpelling(value, is[key]);
  return asked.length > 0 && asked.every(isOld);
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return stableText(a ?? null) === stableText(b ?? null);
}
