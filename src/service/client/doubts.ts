import {
  type Doubt,
  doubtAbout,
  type Expected,
  isDoubt,
  type ShownTenants,
  tenantsShown,
} from '../../model/external/doubt.ts';
import type { Snapshot } from '../list/snapshot.ts';

/** The facts on which doubts rest. */
export interface DoubtsOptions {
  /** The deployments that resources are bound to through this connection. */
  readonly expected: () => readonly Expected[];
  /** The address of the service. */
  readonly endpoint: () => string;
}

/** Judges whether the list puts the connection as a whole in doubt, and keeps the last verdict. */
export class Doubts {
  readonly #options: DoubtsOptions;
  #told: Doubt | undefined;
  #swept: Doubt | undefined;

  constructor(options: DoubtsOptions) {
    this.#options = options;
  }

  /** The result of the last check of the connection. */
  get told(): Doubt | undefined {
    return this.#told;
  }

  /** Records the result of a check. */
  tell(doubt: Doubt | undefined): void {
    this.#told = doubt;
  }

  /** Restores the verdict of an earlier process from the reason that the status of the connection shows. */
  remember(reason: string | undefined): void {
    if (isDoubt(reason)) this.#told = reason;
  }

  /** Returns the doubt that a pass raises, as far as the pass has read. */
  about({ byID }: Pick<Snapshot, 'byID'>): Doubt | undefined {
    const { expected, endpoint } = this.#options;
    return doubtAbout(expected(), byID, { endpoint: endpoint(), told: this.#told });
  }

  /** Returns the doubt that this sweep raises and the one before it did not. */
  raisedBy(snapshot: Pick<Snapshot, 'byID'>): Doubt | undefined {
    const before = this.#swept;
    this.#swept = this.about(snapshot);
    return before === undefined ? this.#swept : undefined;
  }

  /** Returns the tenants whose deployments a pass showed. */
  tenants({ byID }: Pick<Snapshot, 'byID'>): ShownTenants {
    return tenantsShown(this.#options.expected(), byID);
  }
}
