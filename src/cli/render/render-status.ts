import type { DeploymentResource } from '../../api/deployment.ts';
import { ageText } from '../../views/resources/age-text.ts';
import { type StatusRow, statusRow } from '../../views/resources/status-row.ts';
import type { StatusDocument } from '../generated/documents.ts';
import { renderTable, type Table } from './render-table.ts';
import { type BodyOf, renderDocument } from './render-data.ts';

type StatusFormat = 'text' | 'wide' | 'json' | 'yaml' | 'name';

/** Renders how resources are; `namespace` is the one that was asked for, empty where all were. Pure; ends in a line end. */
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

/** A resource that is as it should be may be paused all the same. */
function reasonText({ reason, paused }: StatusRow): string | undefined {
  if (!paused || reason === 'Paused') return reason;
  return reason === undefined ? 'paused' : `${reason}, paused`;
}

/** The table of `status`; `wide` has every column, `namespaces` that of the namespace. */
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
