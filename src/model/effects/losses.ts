import { defined } from '../../base/defined.ts';
import { goneFromSpec, isText, staysBeside } from '../external/beside.ts';
import { isEmpty, stableText } from '../desired/canonical.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { buildsImages, type Level, mayMakeRevision, type PatchBody } from '../external/patch-body.ts';

/** A PATCH of ours that was answered, or may have arrived: what was shown before it, and what it asked for. */
export interface Written {
  readonly before: ObservedDeployment;
  readonly body: PatchBody;
  /** The deployment as a list showed it last before the write; a list may never show what answers do (H35). */
  readonly listed?: ObservedDeployment | undefined;
  /** The answer to the write, where it shows something of it (N14). */
  readonly answer?: ObservedDeployment | undefined;
  /** Reads begun before show nothing of it. */
  readonly endedMs: number;
  /** Reads begun before may still show the state before it, since a list may lag (N30). */
  readonly dueMs: number;
  /** False where no answer came: what is lost then was lost by it, but what is kept proves nothing. */
  readonly answered?: boolean;
  /** The bodies of writes before it that were answered and that no list had shown, newest first. */
  readonly unshown?: readonly PatchBody[];
  /** The first list that showed it and that something is gone, where its answer counted more than that list. */
  readonly foundFirst?: ObservedDeployment;
  /** The fate of the values that were to stay, once a list has shown that something is gone. */
  readonly effect?: Pick<Effect, 'lost' | 'dropped'> & {
    /** The list that showed it. */
    readonly found?: ObservedDeployment;
    /** A repair was sent that no answer proves: until a list must show it, it counts as done. */
    readonly repairing?: true;
  };
}

type Fields = JsonObject | undefined;

type Spec = NonNullable<ObservedDeployment['sourceConfig']>['resourceSpec'];

/** A PATCH with what was shown before it. */
type Sent = Pick<Written, 'before' | 'body'>;

/** The fate of everything that a PATCH did not ask for (4.4 does not say whether it stays). */
export interface Untouched {
  /** Shown before, shown empty now; paths of blocks or of keys. */
  readonly lost: readonly string[];
  /** Shown before and now. */
  readonly kept: readonly string[];
}

/** The values that were to stay, as a list shows them. */
export interface Effect extends Untouched {
  /** Sent as it was shown and shown no more, or gone without a sign of who took it: nothing puts it back. */
  readonly dropped: readonly string[];
}

/** A part that a write may lose: whether it stood in the request, and what was shown of it before and after. */
interface Part {
  readonly path: string;
  readonly asked: boolean;
  readonly before: boolean;
  /** Undefined where the block it belongs to is not shown. */
  readonly after: boolean | undefined;
}

/** Compares what was not asked for before and after a write; what is not shown is not judged. */
export function untouchedBy({ before, body }: Sent, after: ObservedDeployment): Untouched {
  const parts = [
    ...sourceConfigParts(before, body, after),
    ...revisionParts(before, body, after),
    ...listParts(before, body, after),
  ];
  const judged = parts.filter((part) => part.before && !part.asked && part.after !== undefined);
  return {
    lost: judged.filter((part) => part.after === false).map(({ path }) => path),
    kept: judged.filter((part) => part.after === true).map(({ path }) => path),
  };
}

/** Keys of a resource spec that were sent as they were shown, and are shown no more (N4). */
export function droppedBy({ before, body }: Sent, after: ObservedDeployment): readonly string[] {
  const shown = after.sourceConfig?.resourceSpec;
  if (shown === undefined) return [];
  const [was, sent, is] = [before.sourceConfig?.resourceSpec, body.sourceConfig?.resourceSpec, shown].map(
    (spec): JsonObject => ({ ...spec?.fields, ...spec?.unknown }),
  );
  return Object.entries(sent ?? {})
    .filter(([key, value]) => !isEmpty(value) && isEmpty(is?.[key]))
    .filter(([key, value]) => stableText(value) === stableText(was?.[key] ?? null))
    .map(([key]) => `sourceConfig.resourceSpec.${key}`);
}

/** The values that a write leaves out although they exist: lost, if the service empties what is omitted. */
export function leftOutBy({ before, body }: Sent): readonly string[] {
  return untouchedBy({ before, body }, before).kept;
}

/**
 * What was left out and is not shown in the answer either, all of it where the answer tells nothing: unknown, since an
 * answer may repeat no more than what was asked for (N14, N31).
 */
export function leftOpenBy(sent: Sent, answer: ObservedDeployment | undefined): readonly string[] {
  const shown = new Set(answer === undefined ? [] : untouchedBy(sent, answer).kept);
  return leftOutBy(sent).filter((path) => !shown.has(path));
}

/** Whether a list shows a write: it does, it must by now whatever it shows, or it may still show the state before. */
export type Arrival = 'shown' | 'due' | 'open';

/**
 * What a list shows of everything that a write left out (N1, R12). Lost is what lists showed before, the answer did
 * not show and this list lacks: what the answer still showed, somebody else took away since. Where the answer told
 * nothing of the write or of a block, the first list that shows its effect stands in for it. Where a neighbour in the
 * block stays, the operator reports what is gone and does not put it back. Where no list can show an effect, only
 * that several things were left out at one level and none of them is there any more speaks against the write; less is
 * reported and not put back.
 */
export function effectOf(written: Written, list: ObservedDeployment, arrival: Arrival): Effect {
  const { listed, body, answer } = written;
  const kept = arrival === 'open' ? [] : untouchedBy(written, list).kept;
  const told = answer !== undefined || arrival === 'shown' || madeRevision(written, list);
  if (listed === undefined || (!told && arrival === 'open')) return { lost: [], dropped: [], kept };
  const open = new Set(leftOpenBy(written, answer));
  const asListed = { before: listed, body };
  const all = untouchedBy(asListed, list).lost.filter((path) => open.has(path));
  const parts = all.includes(WHOLE_SPEC) ? goneFromSpec(listed, list) : [];
  const gone = parts.length === 0 ? all : all.filter((path) => path !== WHOLE_SPEC);
  if (!told) return { ...unseen(written, gone, parts), kept };
  const lost = gone.filter((path) => !hasNeighbour(path, asListed, list));
  return {
    lost,
    dropped: [
      ...droppedBy(asListed, list).filter((path) => answer === undefined || !isShown(answer, path)),
      ...gone.filter((path) => !lost.includes(path)),
      ...parts,
    ],
    kept,
  };
}

/**
 * Adds to a write what the write before it left out, where no look has shown yet what became of that: this write
 * counts as leaving it out too, with what was shown before the first of them. What a list lacks by now counts only
 * where it speaks against the first.
 */
export function carriedOver<W extends Sent & Pick<Written, 'listed'>>(
  earlier: Written | undefined,
  next: W,
): W {
  if (earlier === undefined || earlier.effect !== undefined) return next;
  const left = new Set(leftOutBy({ before: earlier.before, body: next.body }));
  const there = new Set(untouchedBy(earlier, next.before).kept);
  const gone =
    earlier.listed === undefined || next.listed === undefined
      ? []
      : untouchedBy({ before: earlier.listed, body: earlier.body }, next.listed).lost;
  const taken = unseen(earlier, gone).lost;
  const carried = leftOpenBy(earlier, earlier.answer)
    .filter((path) => left.has(path) && !there.has(path))
    .filter((path) => !gone.includes(path) || taken.includes(path));
  if (carried.length === 0) return next;
  const listed = earlier.listed && next.listed && restored({ before: earlier.listed }, next.listed, carried);
  return { ...next, before: restored(earlier, next.before, carried), listed };
}

/**
 * True where the write left out another text of the same block, and the list shows one there still, be it edited since: a
 * service that empties what is left out would have emptied both.
 */
export function hasNeighbour(path: string, asListed: Sent, list: ObservedDeployment): boolean {
  const [block] = path.split('.');
  if (block !== 'sourceConfig' && block !== 'sourceRevisionConfig') return false;
  const was = asListed.before[block]?.fields;
  const texts = leftOutBy(asListed).filter((other) => isText(was?.[other.split('.')[1] ?? '']));
  return staysBeside(path, texts, list);
}

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

/** The objects that a request carries, each with what was shown of it before and what a look shows. */
export function askedOf(
  { before, body }: Sent,
  after: ObservedDeployment,
): readonly (readonly [asked: Fields, was: Fields, is: Fields])[] {
  const [was, is] = [before.sourceConfig, after.sourceConfig];
  const spec = body.sourceConfig?.resourceSpec;
  return [
    [body.sourceConfig?.fields, was?.fields, is?.fields],
    [spec?.fields, was?.resourceSpec?.fields, is?.resourceSpec?.fields],
    [spec?.unknown, was?.resourceSpec?.unknown, is?.resourceSpec?.unknown],
    [body.sourceRevisionConfig, before.sourceRevisionConfig?.fields, after.sourceRevisionConfig?.fields],
  ];
}

/** Judges values that are gone when nothing ever showed the write itself, level by level. */
function unseen(
  written: Written,
  gone: readonly string[],
  parts: readonly string[] = [],
): Pick<Effect, 'lost' | 'dropped'> {
  const { body, listed } = written;
  const left = leftOutBy(written);
  const isAll = (level: Level): boolean => {
    const there = left.filter((path) => levelOf(path, body) === level);
    return there.length > 1 && there.every((path) => gone.includes(path));
  };
  const lost = gone.filter((path) => isAll(levelOf(path, body)));
  const rest = written.answered === false ? [] : [...gone.filter((path) => !lost.includes(path)), ...parts];
  const names = listed?.secrets?.map(({ name }) => `secrets.${name}`) ?? [];
  return { lost, dropped: rest.flatMap((path) => (path === 'secrets' ? names : [path])) };
}

/** True where a look shows something at a path; undefined where it does not show the block that it belongs to. */
export function isShown(look: ObservedDeployment, path: string): boolean | undefined {
  const [block = '', key = '', ...rest] = path.split('.');
  switch (block) {
    case 'secrets': {
      const names = look.secrets?.map(({ name }) => name);
      const name = path.slice('secrets.'.length);
      return names && (path === 'secrets' ? names.length > 0 : names.includes(name));
    }
    case 'secretReferences':
      return look.secretReferences === undefined ? undefined : (look.secretReferences?.length ?? 0) > 0;
    case 'sourceRevisionConfig':
      return look.sourceRevisionConfig && !isEmpty(look.sourceRevisionConfig.fields[key]);
    default: {
      const config = look.sourceConfig;
      if (key !== 'resourceSpec') return config && !isEmpty(config.fields[key]);
      const values = valuesOf(config?.resourceSpec);
      return config && (rest.length === 0 ? values.size > 0 : values.has(rest.join('.')));
    }
  }
}

const WHOLE_SPEC = 'sourceConfig.resourceSpec';

/** Blocks that are left out as a whole, and watched part by part. */
const WHOLES = ['secrets', WHOLE_SPEC] as const;

/** True where paths name a path, or the list or the block that it is a part of. */
export function areNaming(paths: readonly string[], path: string): boolean {
  return (
    paths.includes(path) || WHOLES.some((whole) => path.startsWith(`${whole}.`) && paths.includes(whole))
  );
}

/**
 * True for a part of a list or of a block of which something else is shown: a service that empties omissions leaves
 * nothing of it.
 */
export function isOneOf(look: ObservedDeployment, path: string): boolean {
  return WHOLES.some((whole) => path.startsWith(`${whole}.`) && isShown(look, whole) === true);
}

/** The values that our last write emptied and that a look begun at a moment does not show again. */
export function stillLost(
  written: Written | undefined,
  now: ObservedDeployment,
  { via, beganMs }: { readonly via: 'list' | 'answer'; readonly beganMs: number },
): readonly string[] {
  const { lost = [], repairing } = written?.effect ?? {};
  if (written === undefined || lost.length === 0) return lost;
  if (repairing === true && (via === 'answer' || beganMs < written.dueMs)) return [];
  if (via === 'answer') return lost;
  const missing = new Set(untouchedBy(written, now).lost);
  return lost.filter((path) => missing.has(path));
}

/** The level at which a request left a path out. */
export function levelOf(path: string, body: PatchBody): Level {
  if (path.startsWith('sourceConfig.') && body.sourceConfig !== undefined) return 'sourceConfig';
  const hasRevision = body.sourceRevisionConfig !== undefined;
  return path.startsWith('sourceRevisionConfig.') && hasRevision ? 'sourceRevisionConfig' : 'blocks';
}

/**
 * Returns the deployment as it is shown, with every lost value put back, unless it was set again since the loss was
 * found.
 */
export function restored(
  { before, effect }: Pick<Written, 'before' | 'effect'>,
  now: ObservedDeployment,
  lost: readonly string[],
): ObservedDeployment {
  const back = (path: string): boolean => lost.includes(path);
  const keys = (prefix: string, was: JsonObject | undefined): JsonObject =>
    Object.fromEntries(Object.entries(was ?? {}).filter(([key]) => back(`${prefix}.${key}`)));
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences } = before;
  const shown = now.sourceConfig?.resourceSpec;
  const spec = back('sourceConfig.resourceSpec')
    ? withEdits(
        sourceConfig?.resourceSpec,
        shown,
        effect?.found && (effect.found.sourceConfig?.resourceSpec ?? null),
      )
    : shown;
  return {
    ...now,
    sourceConfig: {
      fields: { ...now.sourceConfig?.fields, ...keys('sourceConfig', sourceConfig?.fields) },
      ...defined({ resourceSpec: spec }),
    },
    sourceRevisionConfig: {
      ...now.sourceRevisionConfig,
      fields: {
        ...now.sourceRevisionConfig?.fields,
        ...keys('sourceRevisionConfig', sourceRevisionConfig?.fields),
      },
    },
    ...(back('secrets') && secrets !== undefined ? { secrets } : {}),
    ...(back('secretReferences') && secretReferences !== undefined ? { secretReferences } : {}),
  };
}

/** A resource spec as it was, with the keys that are shown otherwise than when its loss was found. */
function withEdits(was: Spec, now: Spec, found: Spec): Spec {
  if (was === undefined || was === null || !now || found === undefined) return was;
  const edited = (part: 'fields' | 'unknown'): JsonObject =>
    Object.fromEntries(
      Object.entries(now[part]).filter(
        ([key, value]) => !isEmpty(value) && stableText(value) !== stableText(found?.[part][key] ?? null),
      ),
    );
  return {
    ...was,
    fields: { ...was.fields, ...edited('fields') },
    unknown: { ...was.unknown, ...edited('unknown') },
  };
}

function sourceConfigParts(
  before: ObservedDeployment,
  body: PatchBody,
  after: ObservedDeployment,
): readonly Part[] {
  const fields = before.sourceConfig?.fields ?? {};
  const shown = after.sourceConfig;
  const single = Object.keys(fields).map((key) => ({
    path: `sourceConfig.${key}`,
    asked: Object.hasOwn(body.sourceConfig?.fields ?? {}, key),
    before: !isEmpty(fields[key]),
    after: shown === undefined ? undefined : !isEmpty(shown.fields[key]),
  }));
  const had = valuesOf(before.sourceConfig?.resourceSpec);
  const has = valuesOf(shown?.resourceSpec);
  return [
    ...single,
    {
      path: 'sourceConfig.resourceSpec',
      asked: body.sourceConfig?.resourceSpec !== undefined,
      before: had.size > 0,
      // Defaults that fill an emptied block hide that it was emptied: every key that was there must be there.
      after: shown === undefined ? undefined : [...had].every((key) => has.has(key)),
    },
  ];
}

/** Keys of a resource spec that have a value. */
export function valuesOf(
  spec: { readonly fields: JsonObject; readonly unknown: JsonObject } | null | undefined,
): ReadonlySet<string> {
  const values = Object.entries({ ...spec?.fields, ...spec?.unknown });
  return new Set(values.filter(([, value]) => !isEmpty(value)).map(([key]) => key));
}

/** An image that the service built itself comes and goes with revisions (H6): its absence tells nothing. */
function revisionParts(
  before: ObservedDeployment,
  body: PatchBody,
  after: ObservedDeployment,
): readonly Part[] {
  const fields = before.sourceRevisionConfig?.fields ?? {};
  const shown = after.sourceRevisionConfig;
  const built = buildsImages(before);
  return Object.keys(fields)
    .filter((key) => key !== 'imageURI' || !built)
    .map((key) => ({
      path: `sourceRevisionConfig.${key}`,
      asked: Object.hasOwn(body.sourceRevisionConfig ?? {}, key),
      before: !isEmpty(fields[key]),
      after: shown === undefined ? undefined : !isEmpty(shown.fields[key]),
    }));
}

function listParts(before: ObservedDeployment, body: PatchBody, after: ObservedDeployment): readonly Part[] {
  return (['secrets', 'secretReferences'] as const).map((path) => ({
    path,
    asked: body[path] !== undefined,
    before: (before[path]?.length ?? 0) > 0,
    after: after[path] === undefined ? undefined : (after[path]?.length ?? 0) > 0,
  }));
}
