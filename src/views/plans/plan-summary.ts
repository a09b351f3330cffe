import { heldBeside, type PlannedAction, type PlanView } from './planned-resource.ts';

/** True if a person must change something before the whole plan can be sent. */
export function isHeld({ action, withheld }: PlanView): boolean {
  return action === 'Held' || action === 'Error' || withheld.length > 0;
}

/** The verdict of a plan over many resources: the most serious one among them. */
export type PlanVerdict = 'held' | 'changes' | 'nothing';

/** Returns the verdict of a whole plan; a held change outranks a change that is sent. */
export function verdictOf(resources: readonly PlanView[]): PlanVerdict {
  if (resources.some(isHeld)) return 'held';
  return resources.some(({ sends }) => sends) ? 'changes' : 'nothing';
}

type ActionName = Lowercase<PlannedAction>;

/** The number of resources in all and of each action. */
export type PlanCounts = Readonly<Record<'resources' | ActionName, number>>;

/** Counts the resources of each action, for scripts: a count of zero is included. */
export function countsOf(resources: readonly PlanView[]): PlanCounts {
  const counts: Record<string, number> = { resources: resources.length };
  for (const [name] of WORDS) counts[name] = 0;
  for (const { action } of resources) {
    const name = action.toLowerCase();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts as PlanCounts;
}

/** Returns the counts in one line for people, such as `1 to create, 2 to update, 197 unchanged; 1 held in part`. */
export function summaryOf(resources: readonly PlanView[]): string {
  const counts = countsOf(resources);
  const parts = WORDS.flatMap(([name, word]) => (counts[name] === 0 ? [] : [`${counts[name]} ${word}`]));
  if (parts.length === 0) return 'no resources';
  const inPart = resources.filter((view) => view.action !== 'Held' && heldBeside(view).length > 0);
  return `${parts.join(', ')}${inPart.length === 0 ? '' : `; ${inPart.length} held in part`}`;
}

const WORDS: readonly (readonly [name: ActionName, words: string])[] = [
  ['create', 'to create'],
  ['update', 'to update'],
  ['delete', 'to delete'],
  ['approve', 'to approve'],
  ['release', 'to let go'],
  ['added', 'added'],
  ['changed', 'changed'],
  ['removed', 'removed'],
  ['wait', 'waiting'],
  ['held', 'held'],
  ['error', 'not known'],
  ['none', 'unchanged'],
];

/** True for a resource that a person wants to see: something happens, differs, or cannot be known. */
export function isWorthShowing({ action, changes, unknown }: PlanView): boolean {
  return action !== 'None' || changes.length > 0 || unknown.length > 0;
}
