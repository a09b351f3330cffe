import { parse } from 'yaml';
import { DOCUMENTS } from '../../src/api/kind-schema-path.ts';

/** An alert as rules.yaml has it. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: 'critical' | 'warning' | 'info' };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

/** Alerts that are judged together. */
export interface AlertGroup {
  readonly name: string;
  readonly rules: readonly Alert[];
}

/** The address of the runbooks, to which the file names are appended. */
const RUNBOOKS = `${DOCUMENTS}runbooks/`;

/** The groups in a file of rules. */
export function alertGroups(text: string): readonly AlertGroup[] {
  return (parse(text) as { readonly groups: readonly AlertGroup[] }).groups;
}

/** The file of a runbook, below docs/runbooks. */
export function runbookFile({ alert, annotations }: Alert): string {
  const { runbook_url: url } = annotations;
  if (!url.startsWith(RUNBOOKS)) throw new Error(`${alert}: its runbook is not below ${RUNBOOKS}`);
  return url.slice(RUNBOOKS.length);
}
