import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import type { Problem } from '../../api/problem.ts';
import { secretValueWarnings } from '../../api/warnings/secret-warnings.ts';
import { warningsAbout } from '../../api/warnings/warnings-about.ts';
import type { DesiredSecrets } from '../desired/desired-deployment.ts';
import type { CreateBody, PatchBody } from '../external/patch-body.ts';
import { SecretValue } from '../../base/secret-value.ts';

/** The size above which a request may be too large for the service; its limits are not documented (section 8). */
const LARGE_BODY_BYTES = 900 * 1024;

/**
 * Returns possible mistakes in a resource, one line each: mistakes in its manifest, and oddities of the current values
 * of its secrets. Contains names, never values. Returns undefined if nothing can be said: before the values of a known
 * spec are read, and for a resource that will be deleted.
 */
export function specWarnings(
  resource: DeploymentResource,
  secrets: DesiredSecrets | undefined,
): readonly string[] | undefined {
  const { metadata, status, spec } = resource;
  if (metadata.deletionTimestamp !== undefined || annotation(resource, 'paused') === 'true') return undefined;
  if (secrets === undefined && status?.observedGeneration === metadata.generation) return undefined;
  const literal = new Set(
    (spec.secrets ?? []).flatMap(({ name, value }) => (value === undefined ? [] : name)),
  );
  const values = secrets === undefined || secrets.kind === 'unmanaged' ? [] : [...secrets.values];
  return [
    ...warningsAbout({ ...resource }),
    ...values
      .filter(([name]) => !literal.has(name))
      .flatMap(([name, value]) => secretValueWarnings(`secret ${name}`, value.reveal())),
  ].map(line);
}

/** Returns a possible problem of a request as a whole. */
export function bodyWarning(body: PatchBody | CreateBody): string | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(body, withSecrets)).length;
  if (bytes <= LARGE_BODY_BYTES) return undefined;
  return `the request has ${Math.ceil(bytes / 1024)} KiB, which the service may refuse; expected less than 900 KiB`;
}

function line({ path, message, expected }: Problem): string {
  return `${path}: ${message}; expected ${expected}`;
}

/** Replaces secrets by their values, so that they count with their length in the request. The text is only measured. */
function withSecrets(this: unknown, key: string, value: unknown): unknown {
  const member = (this as Readonly<Record<string, unknown>>)[key];
  return member instanceof SecretValue ? member.reveal() : value;
}
