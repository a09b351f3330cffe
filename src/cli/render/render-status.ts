import type { DeploymentResource } from '../../api/deployment.ts';
import { ageText } from '../../views/resources/age-text.ts';
import { type StatusRow, statusRow } from '../../views/resources/status-row.ts';
import type { StatusDocument } from '../generated/documents.ts';
import { renderTable, type Table } from './render-table.ts';
import { type BodyOf, renderDocument } from './render-data.ts';

type StatusFormat = 'text' | 'wide' | 'json' | 'yaml' | 'name';

/**
 * Renders the state of resources; `namespace` is the requested namespace, or empty for all. Pure; ends with a line
 * break.
 */
export function renderStatus(
  resources: readonly DeploymentResource[],
  format: StatusFormat,
  about: { readonly columns: number; readonly namespace: string | undefined; readonly nowMs: number },
): string {
  const rows = resources.map(statusRow);
  switch (format) {
    case 'json':
    case 'yaml':
      return renderDocument({ resources: rows } satisfies BodyOf<StatusDocument>, format);
    case 'name':
      return rows.map(({ name }) => `deployment.dms-operator.dev/${name}\n`).join('');
    case 'text':
    case 'wide': {
      if (rows.length === 0) return '';
      const namespaces = about.namespace === '' || new Set(rows.map((row) => row.namespace)).size > 1;
      const table = statusTable(rows, { wide: format === 'wide', namespaces, nowMs: about.nowMs });
      return renderTable(table, about.columns);
    }
  }
}

/** Returns the reason, and whether the resource is paused: a Ready resource may be paused too. */
function reasonText({ reason, paused }: StatusRow): string | undefined {
  if (!paused || reason === 'Paused') return reason;
  return reason === undefined ? 'paused' : `${reason}, paused`;
}

/** Returns the table of `status`; `wide` adds all columns, `namespaces` the column of the namespace. */
export function statusTable(
  rows: readonly StatusRow[],
  {
    wide,
    namespaces,
    nowMs,
  }: { readonly wide: boolean; readonly namespaces: boolean; readonly nowMs: number },
): Table {
  const columns: readonly (readonly [string, (row: StatusRow) => string | undefined])[] = [
    ...(namespaces ? [['NAMESPACE', (row: StatusRow) => row.namespace] as const] : []),
    ['NAME', (row) => row.name],
    ['READY', (row) => row.ready],
    ['SYNCED', (row) => row.synced],
    ['REASON', reasonText],
    ['STATUS', (row) => row.serviceStatus],
    ['IMAGE/REF', (row) => row.imageOrRef],
    ['ACTIVE', (row) => row.activeRevisionID],
    ['CHANGED', (row) => ageText(row.lastChangeTime, nowMs)],
    ...(wide ? WIDE : []),
  ];
  return {
    header: columns.map(([title]) => title),
    rows: rows.map((row) => columns.map(([, cell]) => cell(row) ?? '-')),
  };
}

const WIDE: readonly (readonly [string, (row: StatusRow) => string | undefined])[] = [
  ['LATEST', (row) => row.latestRevisionID],
  ['ID', (row) => row.deploymentID],
  ['SOURCE', (row) => row.source],
  ['MESSAGE', (row) => row.message],
];
