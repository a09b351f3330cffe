import type { FileProblem } from '../../api/file-problem.ts';
import type { Key } from '../../api/metadata.ts';

/** The result of a check of manifests. */
export interface ManifestCheck {
  readonly problems: readonly FileProblem[];
  /** The referenced objects whose kinds no document declares. */
  readonly undeclared: readonly Key[];
  /** The number of valid documents. */
  readonly usable: number;
  /** The number of documents whose kinds this project does not define. */
  readonly ignored: number;
}

/** Counts the errors among the problems; all other problems are warnings. */
export function errorsIn({ problems }: Pick<ManifestCheck, 'problems'>): number {
  return problems.filter(({ severity }) => severity === 'error').length;
}
