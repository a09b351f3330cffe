import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { PlanNow } from '../../../views/screens/plan-now.ts';
import { Age } from '../parts/age.tsx';
import { ChangeList } from '../parts/change-list.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Notice } from '../parts/notice.tsx';
import { WaitingLine } from '../parts/waiting-line.tsx';
import { ask, Refusal } from '../state/ask.ts';
import { planWanted, type Target } from './wanted.ts';

/** Asks the service once, and shows what the operator would send for a resource now. */
export function PlanDialog({ target }: { readonly target: Target }): JSX.Element {
  const answer = useSignal<PlanNow | Refusal | undefined>(undefined);
  const { namespace, name } = target;
  useEffect(() => {
    ask<PlanNow>('/api/plan', { body: { namespace, name } }).then(
      (plan) => (answer.value = plan),
      (refusal: unknown) => (answer.value = refusal as Refusal),
    );
  }, []);
  return (
    <Dialog
      onClose={() => (planWanted.value = undefined)}
      title={
        <>
          Plan of <bdi>{`${namespace}/${name}`}</bdi>
        </>
      }
    >
      {answer.value === undefined && <WaitingLine text="Asking the service…" />}
      {answer.value instanceof Refusal && <Notice tone="bad" title={answer.value.message} />}
      {answer.value !== undefined && !(answer.value instanceof Refusal) && <Answer plan={answer.value} />}
      <form method="dialog" class="buttons">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}

function Answer({ plan }: { readonly plan: PlanNow }): JSX.Element {
  const { action, reason, message, sends, changes, withheld, unknown, revision, hash, askedTime } = plan;
  return (
    <>
      <Facts
        rows={[
          ['Action', `${action}${sends ? '' : ', nothing is sent'}`],
          ['Reason', reason],
          ['Why', message === '' ? undefined : <LongText text={message} />],
          ['Revision', revision === undefined ? undefined : `${revision.expected}: ${revision.why}`],
          ['Hash', hash === undefined ? undefined : <code>{hash}</code>],
          ['Asked', <Age time={askedTime} suffix=" ago" />],
        ]}
      />
      <ChangeList changes={changes} withheld={withheld} />
      {unknown.length > 0 && (
        <p class="muted">Not known before it is sent: {unknown.map(({ path }) => path).join(', ')}.</p>
      )}
    </>
  );
}
