import type { ObservedDeployment } from './observation.ts';
import { SECRETS_PATH } from './fields.ts';
import { restored } from './losses.ts';
import { sendable } from './masks.ts';
import type { SentSecret } from './patch-body.ts';
import type { Present } from './situation.ts';

/** How much of a deployment a PATCH carries. */
export type BodyMode =
  | {
      readonly kind: 'possible';
      /** Present for a full body: the service empties what is left out. */
      readonly base?: ObservedDeployment | undefined;
      /** Secrets that are not ours and go with ours. */
      readonly foreignSecrets: readonly SentSecret[];
      /** Names of secrets that a full body loses, since nobody can send their values back. */
      readonly unsaved: readonly string[];
    }
  /** Any body would empty something that cannot be put back. */
  | {
      readonly kind: 'impossible';
      readonly reason: 'SemanticsMismatch' | 'SecretMissing' | 'SecretVisibilityUnproven';
      readonly message: string;
    };

/**
 * Full where the connection says so, where the service was seen to empty what is omitted, and to put back what our last
 * write lost. A full body that would lose secrets is sent only where a person chose it or where they are lost already.
 */
export function bodyMode(present: Present): BodyMode {
  const { settings, learned, assessment, observed, written, resource } = present;
  const repairing = assessment.lost.length > 0 && written !== undefined;
  const replaces = settings.patchBodies === 'Auto' && learned.omittedFields?.verdict === 'Replace';
  if (settings.patchBodies === 'Partial' || !(repairing || replaces || settings.patchBodies === 'Full')) {
    const merges = resource.spec.secretsOwnership === 'Merge';
    const foreignSecrets = merges ? foreign(present, observed).foreignSecrets : [];
    return { kind: 'possible', foreignSecrets, unsaved: [] };
  }
  const base = repairing ? restored(written, observed, assessment.lost) : observed;
  const { foreignSecrets, unsaved } = foreign(present, base);
  const missing = lostForMissing(present, unsaved, foreignSecrets);
  if (missing.length > 0) {
    const message = `nothing is sent until it exists: ${missing.join(', ')}; a request without secrets may empty them`;
    return { kind: 'impossible', reason: 'SecretMissing', message };
  }
  const { withheld } = assessment.secrets;
  if (withheld?.unasked === true) {
    const message = `nothing is sent, since all of a deployment goes with every request: ${withheld.message}`;
    return { kind: 'impossible', reason: 'SecretVisibilityUnproven', message };
  }
  if (unsaved.length === 0 || repairing || settings.patchBodies === 'Full') {
    return { kind: 'possible', base, foreignSecrets, unsaved };
  }
  const names = unsaved.slice(0, 10).join(', ');
  const message = `nothing is sent: the service empties what a request leaves out, and the values of ${names} cannot be sent back; set patch.bodies on the connection`;
  return { kind: 'impossible', reason: 'SemanticsMismatch', message };
}

/**
 * What is missing for a full body to carry our secrets. Without them it would empty the list, and nobody but the
 * missing Secret can fill it again (H19, H20). Nothing where the list is lost already.
 */
function lostForMissing(
  { desired: { secrets }, resource: { spec }, assessment }: Present,
  unsaved: readonly string[],
  saved: readonly SentSecret[],
): readonly string[] {
  if (secrets.kind !== 'missing' || assessment.lost.includes(SECRETS_PATH)) return [];
  const declared = new Set(spec.secrets?.map(({ name }) => name));
  const mayBeOurs = (name: string): boolean => declared.has(name) || spec.secretsFrom !== undefined;
  const goesAlong = new Set(saved.map(({ name }) => name));
  const applied = [...assessment.applied.secrets.keys()].filter((name) => !goesAlong.has(name));
  return applied.length > 0 || unsaved.some(mayBeOurs) ? secrets.what : [];
}

/** Secrets that are there and are not ours: those that can be sent back, and names of those that cannot. */
function foreign(
  { resource, desired, assessment, secretsPlain }: Present,
  base: ObservedDeployment,
): { readonly foreignSecrets: readonly SentSecret[]; readonly unsaved: readonly string[] } {
  const ours = desired.secrets.kind === 'resolved' ? desired.secrets.values : undefined;
  if (ours !== undefined && resource.spec.secretsOwnership === 'Exclusive')
    return { foreignSecrets: [], unsaved: [] };
  const removed = (name: string): boolean => ours !== undefined && assessment.applied.secrets.has(name);
  const others = (base.secrets ?? []).filter(({ name }) => ours?.has(name) !== true && !removed(name));
  const foreignSecrets = secretsPlain && !assessment.secrets.masked ? sendable(others) : [];
  const saved = new Set(foreignSecrets.map(({ name }) => name));
  return { foreignSecrets, unsaved: others.map(({ name }) => name).filter((name) => !saved.has(name)) };
}
