import { signal } from '@preact/signals';
import type { ActionRequest } from '../../../views/screens/console-messages.ts';
import type { DeploymentScreen, ScreenPlan } from '../../../views/screens/deployment-screen.ts';
import type { ActionName, ScreenAction } from '../../../views/screens/screen-action.ts';

/** The resource of an action, in the version that the person saw. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly plan?: ScreenPlan | undefined;
}

/** An action that a person is about to ask for. */
export interface Wanted {
  readonly target: Target;
  readonly action: ScreenAction;
}

/** The action whose dialog is open. */
export const wanted = signal<Wanted | undefined>(undefined);

/** The resource whose plan dialog is open. */
export const planWanted = signal<Target | undefined>(undefined);

/** Makes the target of an action from a resource as a screen shows it. */
export function targetOf({
  row,
  resourceVersion,
  plan,
}: Pick<DeploymentScreen, 'row' | 'resourceVersion' | 'plan'>): Target {
  return { namespace: row.namespace, name: row.name, resourceVersion, plan };
}

/** Returns the same action on the current screen; undefined if the screen no longer offers it. */
export function renewed(action: ActionName, screen: DeploymentScreen): Wanted | undefined {
  const found = screen.actions.find((offered) => offered.action === action);
  return found === undefined ? undefined : { target: targetOf(screen), action: found };
}

/** Returns the request to the console for exactly the change that the page showed. */
export function requestOf({ action: { action }, target }: Wanted): ActionRequest {
  const { namespace, name, resourceVersion, plan } = target;
  const hash = action === 'approve' ? plan?.hash : undefined;
  return { action, namespace, name, resourceVersion, ...(hash !== undefined && { hash }) };
}
