import type { ResourceState, StateContent } from './state-content.ts';

/** Stores the remembered states of the resources of a folder, by the texts of their keys. */
export interface RememberedStates {
  /** The ID of the key that made the hashes; '' if nothing is stored yet. */
  keyID: string;
  get(key: string): ResourceState | undefined;
  entries(): readonly (readonly [string, ResourceState])[];
  set(key: string, state: ResourceState): void;
  delete(key: string): void;
  /** Resolves after all changes so far are as durable as the store can make them. */
  landed(): Promise<void>;
}

/** Keeps states in memory. Later changes end with the process. */
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
