import { groupsOf, type PlanGroup } from '../../views/plans/groups-of.ts';
import type { PlannedResource } from '../../views/plans/planned-resource.ts';
import { summaryOf } from '../../views/plans/plan-summary.ts';
import { inARow, textForPeople } from '../../base/text-for-people.ts';
import type { PlanGroupsDocument } from '../generated/documents.ts';
import type { BodyOf } from './render-data.ts';
import { renderTable } from './render-table.ts';
import { nameOf } from './render-plan.ts';

/** A plan over a fleet, summed up: one line for each change that is the same for several. */
export function renderGroups(resources: readonly PlannedResource[], columns: number): string {
  const groups = groupsOf(resources);
  const header = ['COUNT', 'WHAT', 'CHANGE', 'RESOURCES'];
  const rows = groups.map((group) => [
    `${group.resources.length} ×`,
    whatOf(group),
    changeText(group),
    inARow(group.resources.map(nameOf)),
  ]);
  const table = rows.length === 0 ? '' : `${renderTable({ header, rows }, columns)}\n`;
  return `${table}Plan: ${summaryOf(resources)}.\n`;
}

/** The same for programs; its resources by name. */
export function groupsDocument(resources: readonly PlannedResource[]): BodyOf<PlanGroupsDocument>['groups'] {
  return groupsOf(resources).map(({ resources: members, ...about }) => ({
    count: members.length,
    ...about,
    resources: members.map(({ kind, namespace, name }) => ({ kind, namespace, name })),
  }));
}

function whatOf({ action, path, reason }: PlanGroup): string {
  if (path !== undefined) return path;
  return reason === undefined ? action.toLowerCase() : `${action.toLowerCase()}: ${reason}`;
}

function changeText({ from, to, drift, path }: PlanGroup): string {
  if (path === undefined) return '';
  return textForPeople(`${from ?? ''} -> ${to ?? ''}${drift ? ' (drift)' : ''}`);
}
