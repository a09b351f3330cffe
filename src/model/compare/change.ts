import { canonicalText } from '../desired/canonical-text.ts';
import type { DesiredDeployment } from '../desired/desired-deployment.ts';
import type { Judgement } from './judge-fields.ts';
import { type Display, type Field, makesRevision, REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { isNameDigest } from '../recorded/baseline.ts';
import type { SecretsJudgement } from './judge-secrets.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { withoutCredentials } from '../../base/url-text.ts';
import { looksLikeCommit } from '../external/shown.ts';

/** Why a write is sent; also a metric label. */
export type Cause = 'spec' | 'drift' | 'secret' | 'redeploy' | 'repair';

/** One difference as displayable text, without secrets, commands or the contents of lists. */
export interface Change {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly revision: 'Expected' | 'Possible' | 'None';
  /** True if the spec asks for the applied value, but the service was changed since. */
  readonly drift?: true;
}

/** The longest value in a plan, in bytes. */
const SHOWN_BYTES = 120;

/** Returns the change of a field. */
export function changeOf(judgement: Judgement): Change {
  const { field, value } = judgement.desired;
  return {
    path: field.path,
    from: judgement.shown === undefined ? '(not shown)' : displayOf(judgement.shown, field.display),
    to: displayOf(value, field.display),
    revision: revisionBy(field),
    ...(judgement.verdict === 'drift' && { drift: true }),
  };
}

/** Returns whether a change of a field makes a revision, as far as the specification says (section 3). */
export function revisionBy(field: Field): Change['revision'] {
  if (field.block === 'sourceRevisionConfig') return 'Expected';
  return makesRevision(field) ? 'Possible' : 'None';
}

/** Returns the changes of a creation. */
export function creationChanges({ fields, secrets }: DesiredDeployment): readonly Change[] {
  const names = secrets.kind === 'resolved' ? [...secrets.values.keys()] : [];
  return [
    ...fields
      .filter(({ cleared }) => !cleared)
      .map(({ field, value }) => created(field.path, displayOf(value, field.display))),
    ...(names.length === 0 ? [] : [created(SECRETS_PATH, shownNames('', names))]),
  ];
}

function created(path: string, to: string): Change {
  return { path, from: '(absent)', to, revision: 'Expected' };
}

/** Returns the change of the list of secrets, with names only. */
export function secretsChange(secrets: SecretsJudgement): Change {
  return {
    path: SECRETS_PATH,
    from: secrets.wasApplied ? 'as applied' : '(not known)',
    to: shownNames('changed: ', secrets.names),
    revision: 'Possible',
    ...(secrets.verdict === 'drift' && { drift: true }),
  };
}

/** Returns the change of a repair: a value that our write emptied goes back as that write found it. */
export function putBack(path: string): Change {
  return { path, from: '(emptied by a write)', to: 'as before that write', revision: 'Possible' };
}

/** Returns the change that a full body makes to secrets with unknown values. */
export function secretsLost(names: readonly string[]): Change {
  return {
    path: SECRETS_PATH,
    from: 'not shown in clear',
    to: shownNames('lost: ', names),
    revision: 'Possible',
  };
}

function shownNames(before: string, names: readonly string[]): string {
  return textForPeople(`${before}${names.map(shownName).join(', ')}`, SHOWN_BYTES);
}

/** Returns a name. For a long name, only a digest was stored, so the text says only that it was a name. */
function shownName(name: string): string {
  return isNameDigest(name) ? '(a long name)' : name;
}

/** Returns a value in the form that status and events may show. */
export function displayOf(value: Json, how: Display): string {
  if (value === '' || canonicalText(value, { kind: 'exact' }) === '') return '(empty)';
  if (how === 'changed') return `changed (${count(value)})`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return textForPeople(how === 'url' ? withoutCredentials(text) : text, SHOWN_BYTES);
}

function count(value: Json): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 item' : `${value.length} items`;
  if (isJsonObject(value)) return count(Object.keys(value));
  return `${typeof value === 'string' ? value.length : JSON.stringify(value).length} characters`;
}

/** Returns the number of changes, for messages. */
export function countOf({ length }: readonly Change[]): string {
  return length === 1 ? '1 change' : `${length} changes`;
}

/** The number of paths that a message names; the others are only counted. */
const PATHS_TOLD = 5;

/**
 * Returns the message for a resource in sync. It also names values that the service shows in its own spelling, which
 * are no difference (H36).
 */
export function inSyncMessage(judgements: readonly Judgement[]): string {
  const otherwise = judgements.filter(isShownOtherwise).map(({ desired }) => desired.field.path);
  const message = 'the service shows what the spec asks for';
  if (otherwise.length === 0) return message;
  const more = otherwise.length > PATHS_TOLD ? ` and ${otherwise.length - PATHS_TOLD} more` : '';
  return `${message}; the service shows these in another form: ${otherwise.slice(0, PATHS_TOLD).join(', ')}${more}`;
}

/**
 * True if the service shows a value in another form, for example rounded. A branch that is shown as its commit counts
 * as the same value.
 */
function isShownOtherwise({ verdict, digests, desired, shown }: Judgement): boolean {
  if (desired.cleared || digests.shown === undefined) return false;
  if (desired.field.path === REPO_REF_PATH && looksLikeCommit(shown)) return false;
  return (verdict === 'in-sync' || verdict === 'settling') && digests.shown !== digests.desired;
}
