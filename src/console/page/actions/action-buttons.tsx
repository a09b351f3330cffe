import type { JSX } from 'preact';
import type { ScreenAction } from '../../../views/screens/screen-action.ts';
import { ACTION_WORDS } from './action-words.ts';
import { type Target, wanted } from './wanted.ts';

/** True if the action changes something. `resume`, for example, changes nothing on a resource that is not paused. */
const hasEffect = ({ shows }: ScreenAction): boolean => shows !== '';

/**
 * Shows a button for each action on a resource. If an action is not allowed, its dialog explains why and shows the
 * command.
 */
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
