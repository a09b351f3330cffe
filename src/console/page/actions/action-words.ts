import type { ActionName } from '../../../views/screens/screen-action.ts';

/** The texts of an action. */
export interface ActionWords {
  /** The text of the button. */
  readonly verb: string;
  /** The consequence. */
  readonly effect: string;
}

/** The texts of all actions. */
export const ACTION_WORDS: Readonly<Record<ActionName, ActionWords>> = {
  approve: {
    verb: 'Approve',
    effect: 'The controller sends exactly these changes. Should they change before that, nothing is sent.',
  },
  pause: { verb: 'Pause', effect: 'Nothing is sent for it until it is resumed.' },
  resume: { verb: 'Resume', effect: 'The controller goes on with it, and sends what differs.' },
  reconcile: {
    verb: 'Look again',
    effect: 'The controller looks at the service now, and not only at the next poll.',
  },
  redeploy: {
    verb: 'Redeploy',
    effect: 'The service makes a new revision of what is declared, and rolls it out.',
  },
};
