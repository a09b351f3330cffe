import type { Assessment } from '../../model/compare/assess.ts';
import type { Judgement } from '../../model/compare/diff.ts';
import { SECRETS_PATH } from '../../model/desired/fields.ts';
import type { Memory, PlanView, Unknown } from './planned.ts';

const FORGOTTEN: Readonly<Record<Exclude<Memory, 'whole'>, string>> = {
  none: 'no earlier write is remembered here',
  'paths only': 'the key of what was applied may not be read',
};

/** Values that the service does not show; only the memory of earlier writes could show whether they differ. */
export function unknownsOf(assessment: Assessment, memory: Memory): readonly Unknown[] {
  if (memory === 'whole') return [];
  const fields = assessment.judgements.filter(isUnseen).map(({ desired }) => ({
    path: desired.field.path,
    why: `the service does not show it, and ${FORGOTTEN[memory]}`,
  }));
  return areSecretsUnseen(assessment, memory)
    ? [
        ...fields,
        { path: SECRETS_PATH, why: `values that the service shows may be masks, and ${FORGOTTEN[memory]}` },
      ]
    : fields;
}

function isUnseen({ verdict, shown }: Judgement): boolean {
  return shown === undefined && (verdict === 'first' || verdict === 'change');
}

/** Without any memory `apply` holds them as well; the controller, whose key may not be read here, may know better. */
function areSecretsUnseen({ secrets: { verdict, withheld } }: Assessment, memory: Memory): boolean {
  const isHeld = withheld?.reason === 'SecretVisibilityUnproven' && memory === 'paths only';
  return verdict === 'first' || verdict === 'change' || isHeld;
}

/**
 * A plan less what the controller alone knows: this look may not read the key of what was applied, and the controller
 * judges with it. Without any memory the plan stays whole, since `apply` would begin with no more.
 */
export function withoutUnknown(view: PlanView, memory: Memory): PlanView {
  if (memory !== 'paths only') return view;
  const left = new Set(view.unknown.map(({ path }) => path));
  const isKnown = ({ path }: { readonly path: string }): boolean => !left.has(path);
  const changes = view.changes.filter(isKnown);
  const withheld = view.withheld.filter(isKnown);
  const same = changes.length === view.changes.length && withheld.length === view.withheld.length;
  if (same || changes.length > 0 || withheld.length > 0) return { ...view, changes, withheld };
  const message = 'nothing differs as far as that can be known';
  return { ...view, action: 'None', sends: false, reason: undefined, message, changes, withheld };
}
