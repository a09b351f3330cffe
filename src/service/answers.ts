import type { ObservedDeployment } from '../model/observation.ts';
import { sameShown } from './snapshot.ts';

/** What the service answered to a write of ours. */
interface Answer {
  readonly deployment: ObservedDeployment;
  readonly endedMs: number;
  /** Until then a read may show the state before the write. */
  readonly untilMs: number;
}

/**
 * Answers to our own writes, for as long as the list may lag behind them (N30): within the window the answer is the
 * truth, and a read counts only if it began after the answer and agrees with it.
 */
export class Answers {
  readonly #answers = new Map<string, Answer>();

  /** Remembers what a write was answered with. */
  put(deployment: ObservedDeployment, endedMs: number, untilMs: number): void {
    this.#answers.set(deployment.id, { deployment, endedMs, untilMs });
  }

  /** The answer that outranks a read begun at `beganMs`, or undefined where the read counts. */
  outranking(
    id: string,
    read: ObservedDeployment | undefined,
    beganMs: number,
  ): { readonly deployment: ObservedDeployment; readonly endedMs: number } | undefined {
    const answer = this.#answers.get(id);
    if (answer === undefined) return undefined;
    if (beganMs >= answer.untilMs) {
      this.#answers.delete(id);
      return undefined;
    }
    const counts = read !== undefined && beganMs >= answer.endedMs && agrees(answer.deployment, read);
    return counts ? undefined : answer;
  }

  /** The id that a write of ours gave to a name, before the list shows it. */
  idNamed(name: string): string | undefined {
    for (const { deployment } of this.#answers.values()) if (deployment.name === name) return deployment.id;
    return undefined;
  }
}

/** True when a read shows the same revision and the same configuration; progress of a rollout is no contradiction. */
function agrees(answer: ObservedDeployment, read: ObservedDeployment): boolean {
  const names = ({ secrets }: ObservedDeployment) => secrets?.map(({ name }) => name);
  return (
    same(answer.latestRevisionID, read.latestRevisionID) &&
    same(answer.sourceConfig, read.sourceConfig) &&
    same(answer.sourceRevisionConfig, read.sourceRevisionConfig) &&
    same(names(answer), names(read)) &&
    same(answer.secretReferences, read.secretReferences)
  );
}

/** What one of the two does not show cannot contradict. */
function same(a: unknown, b: unknown): boolean {
  return a === undefined || b === undefined || sameShown(a, b);
}
