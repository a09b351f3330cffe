import type { ResourceState, StateContent } from './state-content.ts';

/** The remembered states of the resources of a folder, by the texts of their keys. */
export interface RememberedStates {
  /** Which key made the hashes; '' where nothing is remembered yet. */
  keyID: string;
  get(key: string): ResourceState | undefined;
  entries(): readonly (readonly [string, ResourceState])[];
  set(key: string, state: ResourceState): void;
  delete(key: string): void;
  /** Resolves when everything set so far is as durable as it gets. */
  landed(): Promise<void>;
}

/** Keeps states as they were read; what is set afterwards is lost with the process. */
export class PassingStates implements RememberedStates {
  readonly #resources: Map<string, ResourceState>;
  keyID: string;

  constructor({ keyID, resources }: StateContent) {
    this.keyID = keyID;
    this.#resources = resources;
  }

  get(key: string): ResourceState | undefined {
    return this.#resources.get(key);
  }

  entries(): readonly (readonly [string, ResourceState])[] {
    return [...this.#resources];
  }

  set(key: string, state: ResourceState): void {
    this.#resources.set(key, state);
  }

  delete(key: string): void {
    this.#resources.delete(key);
  }

  async landed(): Promise<void> {}
}
