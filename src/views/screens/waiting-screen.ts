import type { NextStep, ScreenPlan } from './deployment-screen.ts';
import { nextSteps, planOf } from './deployment-screen-of.ts';
import type { FleetRow } from './fleet-row.ts';
import { numberText, pageOf } from './fleet-screen.ts';
import type { Pictured } from './picture.ts';
import { type ActionName, type ActionSetting, actionsFor, type ScreenAction } from './screen-action.ts';

/** Everything that needs a person: plans to approve first, then stalled resources, then paused ones. */
export interface WaitingScreen {
  /** A sentence such as `3 plans wait for approval · 1 is stalled · 2 are paused`. */
  readonly sentence: string;
  readonly rows: readonly WaitingRow[];
  readonly total: number;
  /** The number of the page, from 1. */
  readonly page: number;
  /** The number of pages, at least 1. */
  readonly pages: number;
}

/** One resource that waits for a person. */
export interface WaitingRow {
  readonly kind: 'approve' | 'stalled' | 'paused';
  readonly row: FleetRow;
  readonly resourceVersion: string;
  /** The reason, and the next step. */
  readonly next: NextStep;
  /** The plan that waits for approval. */
  readonly plan?: ScreenPlan;
  /** The actions that help. */
  readonly actions: readonly ScreenAction[];
}

type Kind = WaitingRow['kind'];

/** The kinds in the order of the screen, each with its texts and the actions that help. */
const KINDS: Readonly<
  Record<Kind, { readonly says: readonly [one: string, many: string]; readonly helps: readonly ActionName[] }>
> = {
  approve: { says: ['plan waits for approval', 'plans wait for approval'], helps: ['approve'] },
  stalled: { says: ['is stalled', 'are stalled'], helps: ['reconcile', 'redeploy', 'pause'] },
  paused: { says: ['is paused', 'are paused'], helps: ['resume'] },
};

const ORDER: readonly Kind[] = ['approve', 'stalled', 'paused'];

/** Returns one page of the resources that wait for a person. */
export function waitingScreen(
  fleet: readonly Pictured[],
  about: {
    readonly page: number;
    readonly actions: ActionSetting;
    readonly versionOf: (of: Pictured) => string;
  },
): WaitingScreen {
  const byKind = Map.groupBy(fleet, ({ row }) => waitingKind(row));
  const waiting = ORDER.flatMap((kind) => (byKind.get(kind) ?? []).map((pictured) => ({ kind, pictured })));
  const { rows, page, pages } = pageOf(waiting, about.page);
  return {
    sentence: sentenceOf(byKind),
    rows: rows.map(({ kind, pictured }) => waitingRow(kind, pictured, about)),
    ...{ total: waiting.length, page, pages },
  };
}

/** Returns why only a person can help a resource; undefined if it continues by itself. */
export function waitingKind({ tone, headline }: Pick<FleetRow, 'tone' | 'headline'>): Kind | undefined {
  if (tone === 'waits') return 'approve';
  if (tone === 'bad') return 'stalled';
  return tone === 'quiet' && headline === 'Paused' ? 'paused' : undefined;
}

function waitingRow(
  kind: Kind,
  pictured: Pictured,
  { actions, versionOf }: { readonly actions: ActionSetting; readonly versionOf: (of: Pictured) => string },
): WaitingRow {
  const { resource, row } = pictured;
  const plan = planOf(resource);
  const steps = nextSteps(resource);
  const offers = actionsFor(resource, actions);
  const { headline } = row;
  return {
    ...{ kind, row, resourceVersion: versionOf(pictured) },
    next: steps.find(({ reason }) => reason === headline) ?? steps[0] ?? unknownStep(row),
    ...(plan !== undefined && { plan }),
    actions: KINDS[kind].helps.flatMap((help) => offers.find(({ action }) => action === help) ?? []),
  };
}

/**
 * Returns the next step for a headline that no condition has: a person paused the resource after the controller's last
 * pass.
 */
function unknownStep({ headline, message = '' }: FleetRow): NextStep {
  const paused = headline === 'Paused';
  return {
    reason: headline,
    message,
    means: paused ? 'The annotation dms-operator.dev/paused is set. No call is made for it.' : '',
    todo: paused ? 'Remove the annotation.' : 'Look at the resource.',
  };
}

function sentenceOf(byKind: ReadonlyMap<Kind | undefined, readonly Pictured[]>): string {
  const parts = ORDER.flatMap((kind) => {
    const count = byKind.get(kind)?.length ?? 0;
    const [one, many] = KINDS[kind].says;
    return count === 0 ? [] : [`${numberText(count)} ${count === 1 ? one : many}`];
  });
  return parts.length === 0 ? 'Nothing waits for a person' : parts.join(' · ');
}
