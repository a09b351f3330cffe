import type { DeploymentResource } from '../../api/deployment.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import { declaredName } from '../../model/desired/desired-deployment.ts';
import type { ConnectionError } from '../../model/connection/failure.ts';
import { deploymentIDs } from '../../model/connection/data-references.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** The target of a write: a deployment that exists, or the name of one that is to be created. */
export type WriteSubject = { readonly id: string } | { readonly name: string };

/** The time for which a credential counts as refused after the last write with it. */
const FORGOTTEN_MS = 2 * DEFAULTS.authRetryMs;

/**
 * Remembers a write that the service refused for its credential (401). A list that needs no credential does not show
 * the opposite, so the connection stays refused until the service accepts a write. Only the resource that met the
 * refusal tries again, once in five minutes. If it stops trying, the refusal is forgotten.
 */
export class RefusedWrite {
  readonly #clock: Clock;
  #refusal:
    { readonly error: ConnectionError; readonly subject: WriteSubject; readonly atMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The refusal of the newest write, as long as it holds. */
  get error(): ConnectionError | undefined {
    if (this.#ageMs() >= FORGOTTEN_MS) this.#refusal = undefined;
    return this.#refusal?.error;
  }

  /** Throws the refusal while it holds. */
  throwIfHolds(): void {
    const { error } = this;
    if (error !== undefined) throw error;
  }

  /**
   * True once, when a refusal is forgotten because no write was tried for so long: whether the credential works is open
   * then.
   */
  lapses(): boolean {
    return this.#refusal !== undefined && this.error === undefined;
  }

  /** Records that a write about `subject` was refused. */
  met(error: ConnectionError, subject: WriteSubject): void {
    this.#refusal = { error, subject, atMs: this.#clock.now() };
  }

  /** Forgets the refusal: the credential changed, or the service accepted it. */
  forget(): void {
    this.#refusal = undefined;
  }

  /** True for the resource whose write was refused, when it is time to try the write again. */
  mayTry(resource: DeploymentResource): boolean {
    if (this.error === undefined || this.#refusal === undefined) return false;
    if (this.#ageMs() < DEFAULTS.authRetryMs) return false;
    const { subject } = this.#refusal;
    return 'id' in subject
      ? deploymentIDs(resource).includes(subject.id)
      : declaredName(resource) === subject.name;
  }

  #ageMs(): number {
    return this.#refusal === undefined ? 0 : this.#clock.now() - this.#refusal.atMs;
  }
}
