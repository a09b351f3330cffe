import type { JSX } from 'preact';
import type { ScreenAction } from '../../../views/screens/screen-action.ts';
import { ACTION_WORDS } from './action-words.ts';
import { type Target, wanted } from './wanted.ts';

/** An action that would change nothing, such as resume where nothing is paused, shows no change. */
const hasEffect = ({ shows }: ScreenAction): boolean => shows !== '';

/** The buttons of what may be done about a resource; the dialog of one that is not allowed says why, and shows the command. */
export function ActionButtons({
  actions,
  target,
}: {
  readonly actions: readonly ScreenAction[];
  readonly target: Target;
}): JSX.Element {
  return (
    <>
      {actions.filter(hasEffect).map((action) => (
        <button
          key={action.action}
          type="button"
          class={action.action === 'approve' && action.allowed ? 'primary' : ''}
          title={action.why ?? ''}
          onClick={() => (wanted.value = { action, target })}
        >
          {ACTION_WORDS[action.action].verb}
        </button>
      ))}
    </>
  );
}
