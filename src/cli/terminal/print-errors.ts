import { type FileProblem, problemText } from '../../api/file-problem.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

/**
 * Prints the errors of manifests and fails if there are any, since each may hide a resource. Only `validate` prints
 * warnings.
 */
export function printErrors(problems: readonly FileProblem[], { err }: Pick<Terminal, 'err'>): ExitCode {
  const errors = problems.filter(({ severity }) => severity === 'error');
  for (const problem of errors) err(`${problemText(problem)}\n`);
  return errors.length === 0 ? EXIT.ok : EXIT.failed;
}
