import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ActionAnswer } from '../../../views/screens/console-messages.ts';
import { ChangeList } from '../parts/change-list.tsx';
import { Command } from '../parts/command.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { WaitingLine } from '../parts/waiting-line.tsx';
import { ask, Refusal } from '../state/ask.ts';
import { say } from '../state/said.ts';
import { refresh } from '../state/shown.ts';
import { ACTION_WORDS } from './action-words.ts';
import { renewed, requestOf, type Wanted, wanted } from './wanted.ts';
import { commandText } from '../state/command-text.ts';

interface Progress {
  readonly sending: boolean;
  readonly refusal?: Refusal;
}

/**
 * Shows the exact change, and makes it after a person confirms. If the resource changed meanwhile, shows the new state
 * and does nothing.
 */
export function ActionDialog({ about }: { readonly about: Wanted }): JSX.Element {
  const progress = useSignal<Progress>({ sending: false });
  const { target, action } = about;
  const { verb } = ACTION_WORDS[action.action];
  const { sending, refusal } = progress.value;
  const impossible = !action.allowed || refusal?.status === 403;
  return (
    <Dialog
      onClose={() => (wanted.value = undefined)}
      title={
        <>
          {verb} <bdi>{`${target.namespace}/${target.name}`}</bdi>
        </>
      }
    >
      {refusal !== undefined && <Refused refusal={refusal} action={about} />}
      {refusal === undefined && !action.allowed && (
        <Notice tone="quiet" title={action.why ?? 'This is not allowed.'} />
      )}
      <ExactChange about={about} />
      {sending && <WaitingLine text="Writing…" />}
      <form method="dialog" class="buttons">
        <button type="submit">Cancel</button>
        <button
          type="button"
          class="primary"
          aria-disabled={impossible || sending}
          onClick={() => {
            if (!impossible && !sending) void send(about, progress);
          }}
        >
          {verb}
        </button>
      </form>
    </Dialog>
  );
}

/** Shows the changes that an approval sends, the patch of the annotation, and the command that does the same. */
function ExactChange({ about: { action, target } }: { readonly about: Wanted }): JSX.Element {
  const { plan } = target;
  return (
    <>
      <p>{ACTION_WORDS[action.action].effect}</p>
      {action.action === 'approve' && plan !== undefined && (
        <ChangeList changes={plan.changes} omitted={plan.changesOmitted} withheld={plan.withheld} />
      )}
      <p class="label">This is written</p>
      <pre tabIndex={0} aria-label="The text that is written">
        {action.shows}
      </pre>
      <p class="label">The same as a command</p>
      <Command text={commandText(action.command)} />
    </>
  );
}

function Refused({ refusal, action }: { readonly refusal: Refusal; readonly action: Wanted }): JSX.Element {
  const { error, missingRight, screen } = refusal.answer;
  return (
    <Notice tone={screen === undefined ? 'bad' : 'waits'} title={error}>
      {missingRight !== undefined && (
        <p>
          The right to <code>{missingRight}</code> is missing.
        </p>
      )}
      {screen !== undefined && (
        <p>
          {action.action.allowed
            ? 'Nothing was done. Below stands how it is now.'
            : `Nothing was done, and there is nothing to do any more: ${action.action.why ?? screen.sentence}`}
        </p>
      )}
    </Notice>
  );
}

async function send(about: Wanted, progress: Signal<Progress>): Promise<void> {
  progress.value = { sending: true };
  try {
    const { done } = await ask<ActionAnswer>('/api/actions', { body: requestOf(about) });
    wanted.value = undefined;
    say(done);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    progress.value = { sending: false, refusal };
    const { screen } = refusal.answer;
    if (screen !== undefined) wanted.value = renewed(about.action.action, screen) ?? about;
  }
  refresh();
}
