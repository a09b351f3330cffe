import { stableText } from '../desired/canonical-text.ts';
import type { Json } from '../../base/json.ts';
import type { ObservedDeployment } from './observation.ts';
import type { PatchBody } from './patch-body.ts';
import { isCommitOf } from './shown.ts';

/**
 * True if an answer shows the deployment from before the request, although the request asked for a different revision
 * block (N14): it proves nothing. Other fields do not count here, since the service may just ignore them.
 */
export function isPreState(before: ObservedDeployment, body: PatchBody, answer: ObservedDeployment): boolean {
  const was = before.sourceRevisionConfig?.fields;
  const is = answer.sourceRevisionConfig?.fields;
  if (was === undefined || is === undefined || answer.latestRevisionID !== before.latestRevisionID)
    return false;
  const asked = Object.entries(body.sourceRevisionConfig ?? {}).filter(
    ([key, value]) => Object.hasOwn(is, key) && !same(was[key], value) && !isCommitOf(is[key], answer),
  );
  return asked.length > 0 && asked.every(([key]) => same(was[key], is[key]));
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return stableText(a ?? null) === stableText(b ?? null);
}
