import { stableText } from '../desired/canonical.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { mayMakeRevision } from '../external/patch-body.ts';
import { askedOf, type Sent } from './untouched.ts';

/**
 * True where the newest revision is another one than before a write that may make one: a sign of it where it shows no
 * value. After a request that changes nothing it is as likely the work of somebody else.
 */
export function madeRevision(sent: Sent, list: ObservedDeployment): boolean {
  const moved = sent.before.latestRevisionID !== list.latestRevisionID;
  return moved && mayMakeRevision(sent.body) && asksForChange(sent);
}

/** True where a request asks for something that was not shown before it. */
function asksForChange({ before, body }: Sent): boolean {
  if (body.secrets !== undefined || body.secretReferences !== undefined) return true;
  return askedOf({ before, body }, before).some(([asked, was]) =>
    Object.entries(asked ?? {}).some(([key, value]) => stableText(value) !== stableText(was?.[key] ?? null)),
  );
}
