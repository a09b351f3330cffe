import { writeShownMs } from '../compare/assess.ts';
import type { Judgement } from '../compare/judge-fields.ts';
import { newestOf, unlisted } from '../effects/beyond-unshown.ts';
import { shownOf } from '../external/shown.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import { type Field, SECRETS_PATH } from '../desired/fields.ts';
import type { PatchBody } from '../external/patch-body.ts';
import { acceptedPatch } from '../recorded/accepted-patch.ts';
import type { Present } from '../plan/situation.ts';

/**
 * Returns the paths of declared values that earlier writes of ours sent, that no list shows yet, and that the next body
 * leaves out. While nothing is known about omitted fields, the service may empty them. No list would ever have shown
 * such a value, so nothing would tell of its loss.
 */
export function lacksOurs(present: Present, body: PatchBody): readonly string[] {
  const { assessment, desired, learned, listed, observation, observed, resource, settings } = present;
  const isKept = learned.omittedFields?.verdict === 'Keep' || settings.patchBodies === 'Partial';
  if (isKept || observation.beganMs >= writeShownMs(resource, settings)) return [];
  const list = listed ?? observed;
  const wasSent = sentUnlisted(present);
  const isAtStake = ({ desired: { field, value } }: Judgement): boolean =>
    wasSent(field) && !asksFor(body, field) && !isEmpty(value) && isEmpty(shownOf(field, list));
  const fields = assessment.judgements.filter(isAtStake).map((one) => one.desired.field.path);
  const names = desired.secrets.kind === 'resolved' ? [...desired.secrets.values.keys()] : [];
  const lacksName = names.some((name) => !(list.secrets ?? []).some((secret) => secret.name === name));
  const lacksSecrets = lacksName && body.secrets === undefined && wasSent('secrets');
  return lacksSecrets ? [...fields, SECRETS_PATH] : fields;
}

/** Returns whether a write that no list has shown sent a field; of an earlier process only the last write is known. */
function sentUnlisted({ inherited, resource, written }: Present): (field: Field | 'secrets') => boolean {
  if (inherited) {
    const { paths = [] } = acceptedPatch(resource.status) ?? {};
    return (field) => paths.includes(field === 'secrets' ? SECRETS_PATH : field.path);
  }
  const newest = newestOf(written);
  const bodies = newest === undefined ? [] : [newest.body, ...unlisted(newest)];
  return (field) =>
    bodies.some((body) => (field === 'secrets' ? body.secrets !== undefined : asksFor(body, field)));
}

/** True if a body sets a field. */
function asksFor({ sourceConfig, sourceRevisionConfig, secretReferences }: PatchBody, field: Field): boolean {
  switch (field.block) {
    case 'sourceConfig':
      return Object.hasOwn(sourceConfig?.fields ?? {}, field.name);
    case 'resourceSpec':
      return Object.hasOwn(sourceConfig?.resourceSpec?.fields ?? {}, field.name);
    case 'sourceRevisionConfig':
      return Object.hasOwn(sourceRevisionConfig ?? {}, field.name);
    case 'secretReferences':
      return secretReferences !== undefined;
  }
}
