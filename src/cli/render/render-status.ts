import type { Condition } from '../../api/condition.ts';
import { ANNOTATIONS, type DeploymentResource } from '../../api/deployment.ts';
import type { StatusDocument } from '../generated/documents.ts';
import { renderTable, type Table } from './render-table.ts';
import { type BodyOf, renderDocument } from './render-data.ts';

/** How one resource is, in the words that people and scripts read. Absent: not known, or there is none. */
export interface StatusRow {
  readonly namespace: string;
  readonly name: string;
  readonly ready: Condition['status'] | undefined;
  readonly synced: Condition['status'] | undefined;
  readonly reason: string | undefined;
  /** Nothing is sent for it until it is resumed. */
  readonly paused: boolean;
  readonly message: string | undefined;
  /** State that the service shows. */
  readonly serviceStatus: string | undefined;
  readonly source: string;
  /** The image, branch, tag or archive of the newest revision, as far as the service shows it. */
  readonly imageOrRef: string | undefined;
  readonly deploymentID: string | undefined;
  readonly activeRevisionID: string | undefined;
  readonly latestRevisionID: string | undefined;
  /** When a condition last changed. */
  readonly lastChangeTime: string | undefined;
}

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

/** The part of a status that describes the resource itself. */
export function statusRow({ metadata, spec, status }: DeploymentResource): StatusRow {
  const conditions = status?.conditions ?? [];
  const find = (type: string): (typeof conditions)[number] | undefined =>
    conditions.find((condition) => condition.type === type);
  const shown = status?.observed?.sourceRevisionConfig;
  const changes = conditions.map(({ lastTransitionTime }) => lastTransitionTime);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    ready: find('Ready')?.status,
    synced: find('Synced')?.status,
    reason: find('Ready')?.reason,
    paused: metadata.annotations?.[ANNOTATIONS.paused] === 'true',
    message: find('Ready')?.message,
    serviceStatus: status?.serviceStatus,
    source: spec.source,
    imageOrRef: shown?.imageURI ?? shown?.repoRef ?? shown?.sourceTarballPath,
    deploymentID: status?.deploymentID,
    activeRevisionID: status?.activeRevisionID,
    latestRevisionID: status?.latestRevisionID,
    lastChangeTime: changes.toSorted().at(-1),
  };
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

const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
];

/** How long ago a time is, in the largest unit of which there are two, as kubectl shows ages. */
function ageText(time: string | undefined, nowMs: number): string | undefined {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(time ?? '')) / 1000));
  if (Number.isNaN(seconds)) return undefined;
  const unit = UNITS.find(([, size]) => seconds >= 2 * size);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`;
}
