import type { FileProblem } from '../../api/file-problem.ts';
import type { Key } from '../../api/metadata.ts';

/** The result of a check of manifests. */
export interface ManifestCheck {
  readonly problems: readonly FileProblem[];
  /** Objects that are named, and of a kind that no document has. */
  readonly undeclared: readonly Key[];
  /** The number of documents that can be used. */
  readonly usable: number;
  /** The number of documents that are none of this project's business. */
  readonly ignored: number;
}

/** Counts the errors among the problems; all other problems are warnings. */
export function errorsIn({ problems }: Pick<ManifestCheck, 'problems'>): number {
  return problems.filter(({ severity }) => severity === 'error').length;
}
