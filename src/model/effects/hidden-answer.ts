import { defined } from '../../base/defined.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { PatchBody } from '../external/patch-body.ts';
import { isShown, partsOf } from './effect-of.ts';
import { leftOutBy, untouchedBy } from './untouched.ts';

/** A PATCH, and the deployment in the last list before it. */
interface Sent {
  readonly body: PatchBody;
  readonly listed?: ObservedDeployment | undefined;
}

/**
 * Returns the part of an answer that lists do not show: values in blocks that the request did not carry, so the service
 * does not merely repeat the request. Undefined if there are none.
 */
export function hiddenIn(answer: ObservedDeployment, { body, listed }: Sent): ObservedDeployment | undefined {
  if (listed === undefined) return undefined;
  const rest = withoutBlocks(answer, body);
  return leftOutBy({ before: rest, body: {} }).some((path) => isShown(listed, path) !== true)
    ? rest
    : undefined;
}

/** Returns a deployment without the blocks that a request carries: the request may have changed them. */
export function withoutBlocks(shown: ObservedDeployment, body: PatchBody): ObservedDeployment {
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences, ...rest } = shown;
  return {
    ...rest,
    ...defined({
      sourceConfig: body.sourceConfig === undefined ? sourceConfig : undefined,
      sourceRevisionConfig: body.sourceRevisionConfig === undefined ? sourceRevisionConfig : undefined,
      secrets: body.secrets === undefined ? secrets : undefined,
      secretReferences: body.secretReferences === undefined ? secretReferences : undefined,
    }),
  };
}

/**
 * Returns the values that the answer to an earlier write showed, that lists do not show, and that the answer to a later
 * write lacks, although neither request carried their block.
 */
export function goneFromAnswer(
  hidden: ObservedDeployment,
  answer: ObservedDeployment,
  { body, listed }: Sent,
): readonly string[] {
  const { lost } = untouchedBy({ before: withoutBlocks(hidden, body), body: {} }, answer);
  return lost
    .filter((path) => listed !== undefined && isShown(listed, path) !== true)
    .flatMap((path) =>
      path === SECRETS_PATH
        ? (hidden.secrets ?? []).map(({ name }) => `${SECRETS_PATH}.${name}`)
        : partsOf(path, hidden, answer),
    );
}
