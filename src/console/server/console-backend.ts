import type { ActionRequest, PlanRequest } from '../../views/screens/console-messages.ts';
import type { ConnectionsScreen } from '../../views/screens/connections-screen.ts';
import type { DeploymentScreen } from '../../views/screens/deployment-screen.ts';
import type { DriftScreen } from '../../views/screens/drift-screen.ts';
import type { FleetScreen } from '../../views/screens/fleet-screen.ts';
import type { Freshness, Overview } from '../../views/screens/overview.ts';
import type { PlanNow } from '../../views/screens/plan-now.ts';
import type { WaitingScreen } from '../../views/screens/waiting-screen.ts';

/** The result of an action. */
export type ActionEnd =
  | { readonly kind: 'done'; readonly done: string }
  | { readonly kind: 'forbidden'; readonly error: string; readonly missingRight?: string | undefined }
  /** Nothing was done, because the resource differs from the version that the person saw. */
  | { readonly kind: 'changed'; readonly error: string; readonly screen?: DeploymentScreen | undefined };

/** The data and actions behind the server, for a cluster or a folder. */
export interface ConsoleBackend {
  /** Changes with every change that a screen may show. */
  readonly version: number;
  freshness(): Freshness;
  /** Calls back after every change of the version, until the returned function is called. */
  subscribe(onChange: () => void): () => void;
  overview(): Overview;
  fleet(about: { readonly filter: string; readonly page: number }): FleetScreen;
  /** Returns undefined if there is no such resource. */
  deployment(name: PlanRequest, signal: AbortSignal): Promise<DeploymentScreen | undefined>;
  connections(): ConnectionsScreen;
  waiting(page: number): WaitingScreen;
  drift(): DriftScreen;
  /**
   * Reads the service once. Returns undefined if there is no such resource; throws an error of one line if the
   * service cannot be read.
   */
  plan(name: PlanRequest, signal: AbortSignal): Promise<PlanNow | undefined>;
  /** Carries out an action. Throws an error of one line if it fails. */
  act(request: ActionRequest, signal: AbortSignal): Promise<ActionEnd>;
}
