import type { Assessment } from './assess.ts';
import type { Judgement } from './diff.ts';
import { SECRETS_PATH } from './fields.ts';
import type { Memory, PlanView, Unknown } from './planned.ts';

const FORGOTTEN: Readonly<Record<Exclude<Memory, 'whole'>, string>> = {
  none: 'no earlier write is remembered here',
  'paths only': 'the key of what was applied may not be read',
};

/** What the service does not show, so that only the memory of earlier writes could tell whether it differs. */
export function unknownsOf(assessment: Assessment, memory: Memory): readonly Unknown[] {
  if (memory === 'whole') return [];
  const fields = assessment.judgements.filter(isUnseen).map(({ desired }) => ({
    path: desired.field.path,
    why: `the service does not show it, and ${FORGOTTEN[memory]}`,
  }));
  return areSecretsUnseen(assessment)
    ? [...fields, { path: SECRETS_PATH, why: secretsWhy(assessment, memory) }]
    : fields;
}

function isUnseen({ verdict, shown }: Judgement): boolean {
  return shown === undefined && (verdict === 'first' || verdict === 'change');
}

function areSecretsUnseen({ secrets: { verdict, withheld } }: Assessment): boolean {
  return verdict === 'first' || verdict === 'change' || withheld?.reason === 'SecretVisibilityUnproven';
}

function secretsWhy({ secrets }: Assessment, memory: Exclude<Memory, 'whole'>): string {
  if (secrets.shownAsSent) return `the service shows these very values, but ${FORGOTTEN[memory]}`;
  const why = `values that the service shows may be masks, and ${FORGOTTEN[memory]}`;
  // A controller that has the key judges for itself, and needs no flag.
  return memory === 'none'
    ? `${why}; apply sends what nothing proves to differ only with --send-secrets`
    : why;
}

/**
 * A plan less what nobody can know: secrets are not sent on a guess, and what a controller with the key would know is
 * not counted as a change. Fields that would be applied for the first time stay.
 */
export function withoutUnknown(view: PlanView, memory: Memory): PlanView {
  const left = new Set(
    view.unknown.map(({ path }) => path).filter((path) => path === SECRETS_PATH || memory === 'paths only'),
  );
  const isKnown = ({ path }: { readonly path: string }): boolean => !left.has(path);
  const changes = view.changes.filter(isKnown);
  const withheld = view.withheld.filter(isKnown);
  const same = changes.length === view.changes.length && withheld.length === view.withheld.length;
  if (same || changes.length > 0 || withheld.length > 0) return { ...view, changes, withheld };
  const message = 'nothing differs as far as that can be known';
  return { ...view, action: 'None', sends: false, reason: undefined, message, changes, withheld };
}
