import type { Json, JsonObject } from '../../base/json.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { RequestPreview } from '../../views/plans/planned-resource.ts';
import { redactorOf } from '../../model/redaction/redact.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import { withoutSensitive } from '../../model/redaction/sensitive.ts';
import type { WirePatchRequest } from '../../wire/deployment.ts';
import { wireCreate, wirePatch } from './observed-deployment.ts';

/** The greatest length of a text in a body, in bytes; longer texts are cut. */
const LONGEST_TEXT = 4_096;

/**
 * Returns the request of a plan, or undefined if the plan sends none. The request must contain none of the `known`
 * values.
 */
export function previewOf(plan: Plan, known: Iterable<SecretValue>): RequestPreview | undefined {
  const redact = redactorOf(known, LONGEST_TEXT);
  // Bodies consist of JSON; an interface without an index signature cannot express that to the compiler.
  const shown = (body: WirePatchRequest): JsonObject =>
    withoutSensitive(body as unknown as Json, redact) as JsonObject;
  switch (plan.kind) {
    case 'patch':
      return { method: 'PATCH', path: pathOf(plan.id), body: shown(wirePatch(plan.body)) };
    case 'create':
      return { method: 'POST', path: '/v2/deployments', body: shown(wireCreate(plan.body)) };
    case 'delete':
      return { method: 'DELETE', path: pathOf(plan.id) };
    default:
      return undefined;
  }
}

function pathOf(id: string): string {
  return `/v2/deployments/${encodeURIComponent(id)}`;
}
