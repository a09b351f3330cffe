import type { Deployments, Selection } from '../../compose/session/deployments.ts';
import { problemText } from '../../api/file-problem.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import { renderTable } from '../render/render.ts';
import type { StatusDocument } from '../generated/documents.ts';
import { type BodyOf, renderDocument } from '../render/render-data.ts';
import { type StatusRow, statusRow, statusTable } from '../render/render-status.ts';
import { openDeployments, readSelection } from '../flags/selection.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { StatusOptions } from '../words/status.ts';

/** Prints how deployment resources are, as the controller last wrote it down. */
export async function statusCommand(
  options: StatusOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  const selection = readSelection(words, options, { orAll: true });
  const signal = terminal.untilStopped();
  const deployments = await openDeployments(options, terminal, signal);
  try {
    const rows = (await deployments.find(selection, signal)).map(statusRow);
    terminal.out(reportOf(rows, options, { terminal, selection, nowMs: deployments.clock.now() }));
    const code = tellProblems(deployments, terminal);
    if (rows.length === 0 && code === EXIT.ok) terminal.err(`${nothingIn(selection)}\n`);
    return code;
  } finally {
    await deployments.close();
  }
}

function reportOf(
  rows: readonly StatusRow[],
  { output }: StatusOptions,
  about: { readonly terminal: Terminal; readonly selection: Selection; readonly nowMs: number },
): string {
  switch (output) {
    case 'json':
    case 'yaml':
      return renderDocument({ resources: rows } satisfies BodyOf<StatusDocument>, output);
    case 'name':
      return rows.map(({ name }) => `deployment.dms-operator.dev/${name}\n`).join('');
    case 'text':
    case 'wide': {
      if (rows.length === 0) return '';
      const namespaces =
        about.selection.namespace === '' || new Set(rows.map((row) => row.namespace)).size > 1;
      const table = statusTable(rows, { wide: output === 'wide', namespaces, nowMs: about.nowMs });
      return renderTable(table, about.terminal.columns);
    }
  }
}

/** As kubectl says it, with the namespace where one was asked for. */
export function nothingIn({ namespace }: Pick<Selection, 'namespace'>): string {
  const where = namespace === undefined || namespace === '' ? 'here' : `in namespace ${namespace}`;
  return `no deployments.dms-operator.dev ${where}`;
}

/** Says what is wrong with manifests: an error there hides a resource. Warnings are for `validate`. */
export function tellProblems({ problems }: Pick<Deployments, 'problems'>, { err }: Terminal): ExitCode {
  const errors = problems.filter(({ severity }) => severity === 'error');
  for (const problem of errors) err(`${problemText(problem)}\n`);
  return errors.length === 0 ? EXIT.ok : EXIT.failed;
}
