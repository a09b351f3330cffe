import { isDeepStrictEqual } from 'node:util';
import type { SyncedReason } from '../../../src/api/condition.ts';
import { pathParts, valueAt } from '../../../src/simulator/field-rules.ts';
import type { WireJson } from '../../../src/wire/json.ts';
import { isWireObject } from '../../../src/simulator/wire-values.ts';
import { beyondBudget } from '../revision-making.ts';
import { MANAGED, type ManagedName, type SecretName } from './declared.ts';
import { endOf, NEIGHBOURS, type Play } from './play.ts';
import { isExcused } from './excuses.ts';
import { THEIR_SECRET, THEIRS } from './theirs.ts';

/** Reasons with which a resource may come to rest without being in sync: each asks something of a person. */
const STOPS: ReadonlySet<SyncedReason> = new Set<SyncedReason>([
  'SemanticsMismatch',
  'UnmanagedSecretsPresent',
  'SecretVisibilityUnproven',
  'FieldNotClearable',
  'NotConverging',
  'RevisionBudgetExhausted',
  'DriftCorrectionSuspended',
  'Rejected',
]);

/** Everything that is wrong with how a run ended, in words; empty where nothing is. */
export function wrongs(play: Play): readonly string[] {
  return [
    ...ended(play),
    ...declaredValues(play),
    ...theirValues(play),
    ...neighbours(play),
    ...budget(play),
  ];
}

/** True when the resource is in sync, or stopped with a reason that names what a person has to do. */
export function isAtRest(play: Play): boolean {
  const reason = endOf(play);
  return reason === 'InSync' || STOPS.has(reason as SyncedReason);
}

function ended(play: Play): readonly string[] {
  return isAtRest(play) ? [] : [`ended as ${play.world.state()}: ${play.world.message()}`];
}

/** Where it says InSync, the service has what is declared. */
function declaredValues(play: Play): readonly string[] {
  if (endOf(play) !== 'InSync') return [];
  const { declared, unseen } = play;
  const fields = Object.keys(declared.fields) as ManagedName[];
  return [
    ...fields
      .filter((name) => !unseen.has(name) && !holds(play, name) && !isExcused(play, name))
      .map((name) => `InSync, but ${name} is ${textOf(keptAt(play, MANAGED[name].wire))}`),
    ...(declared.secrets ?? []).flatMap((name) => secretWrongs(play, name)),
  ];
}

function holds(play: Play, name: ManagedName): boolean {
  const [want, have] = [play.declared.fields[name], keptAt(play, MANAGED[name].wire)];
  if (name === 'labels') return isWireObject(have) && isWireObject(want) && have['tier'] === want['tier'];
  // A list that the service merges keeps what was there: it shows so, and we live with it.
  if (!Array.isArray(want)) return isDeepStrictEqual(want, have);
  return Array.isArray(have) && want.every((item) => have.some((other) => isDeepStrictEqual(item, other)));
}

function secretWrongs({ world, secretValues, unseen }: Play, name: SecretName): readonly string[] {
  const values = world.kept().content.secrets.filter((secret) => secret.name === name);
  if (unseen.has(name) || values.some(({ value }) => value === secretValues.get(name))) return [];
  return [`InSync, but the secret ${name} is ${values.length === 0 ? 'missing' : 'another one'}`];
}

/** I4: what nobody manages is as its owners left it, or the resource says that it could not be. */
function theirValues(play: Play): readonly string[] {
  const wrong = [...play.theirs].flatMap(([name, want]) => {
    if (isExcused(play, name)) return [];
    const have = keptAt(play, THEIRS[name].wire) ?? null;
    return isDeepStrictEqual(have, want)
      ? []
      : [`${name}, not ours, is ${textOf(have)} and was ${textOf(want)}`];
  });
  const team = keptAt(play, 'source_config.resource_spec.labels.team');
  if (team !== 'theirs' && !isExcused(play, 'label'))
    wrong.push(`the label team, not ours, is ${textOf(team)}`);
  return [...wrong, ...theirSecret(play)];
}

function theirSecret(play: Play): readonly string[] {
  const { world, switches, tookSecrets } = play;
  const kept = world.kept().content.secrets.find(({ name }) => name === THEIR_SECRET.name);
  if (kept?.value === THEIR_SECRET.value) return [];
  if (kept !== undefined) return [`the secret ${kept.name}, not ours, has another value`];
  const dropped = switches.ownership === 'Exclusive' && tookSecrets;
  const told = world.events.all.some(
    ({ event }) => event.reason === 'UnmanagedSecretsLost' && event.message.includes(THEIR_SECRET.name),
  );
  return dropped || told || isExcused(play, 'secret')
    ? []
    : [`the secret ${THEIR_SECRET.name}, not ours, is gone and nothing was said`];
}

/** I7: nothing was ever sent to a deployment that no resource names. */
function neighbours({ world }: Play): readonly string[] {
  const own = world.kept().id;
  const strange = world.patches().filter(({ id }) => id !== own);
  const moved = NEIGHBOURS.filter((name) => world.kept(name).revisions.length > 1);
  return [
    ...strange.map(({ id }) => `a PATCH to ${id}`),
    ...moved.map((name) => `${name} has a new revision`),
  ];
}

/** I6: in any hour as many writes that may make a revision as the budget has, and one more for each edit. */
function budget({ world, editsMs, perHour }: Play): readonly string[] {
  const worst = beyondBudget(world.patches(), { perHour, editsMs });
  return worst === 0 ? [] : [`${worst} writes that may make a revision too many within an hour`];
}

function keptAt({ world }: Play, path: string): WireJson | undefined {
  const { sourceConfig, revisionConfig } = world.kept().content;
  return valueAt({ source_config: sourceConfig, source_revision_config: revisionConfig }, pathParts(path));
}

function textOf(value: WireJson | undefined): string {
  return JSON.stringify(value) ?? 'absent';
}
