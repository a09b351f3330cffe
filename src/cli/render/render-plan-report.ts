import { countsOf, verdictOf, summaryOf } from '../../views/plans/plan-summary.ts';
import type { PlannedResource } from '../../views/plans/planned-resource.ts';
import type { PlanDocument, PlanGroupsDocument } from '../generated/documents.ts';
import type { Paint } from '../terminal/paint.ts';
import { type BodyOf, renderDocument } from './render-data.ts';
import { renderPlan, nameOf } from './render-plan.ts';
import { renderPlanMarkdown } from './render-plan-markdown.ts';
import { groupsOf, type PlanGroup } from '../../views/plans/groups-of.ts';
import { inARow, textForPeople } from '../../base/text-for-people.ts';
import { renderTable } from './render-table.ts';

type PlanFormat = 'text' | 'json' | 'yaml' | 'markdown';

/** Renders a plan, or with `grouped` its summary. Pure; ends with a line break. */
export function renderPlanReport(
  resources: readonly PlannedResource[],
  format: PlanFormat,
  how: { readonly columns: number; readonly paint: Paint; readonly grouped: boolean },
): string {
  switch (format) {
    case 'text':
      return how.grouped
        ? renderGroups(resources, how.columns)
        : renderPlan(resources, how.columns, how.paint);
    case 'json':
    case 'yaml':
      return renderDocument(how.grouped ? sumOf(resources) : documentOf(resources), format);
    case 'markdown':
      return renderPlanMarkdown(resources);
  }
}

function sumOf(resources: readonly PlannedResource[]): BodyOf<PlanGroupsDocument> {
  return { ...summaryPart(resources), groups: groupsDocument(resources) };
}

function summaryPart(resources: readonly PlannedResource[]): Pick<PlanDocument, 'summary'> {
  return { summary: { verdict: verdictOf(resources), ...countsOf(resources) } };
}

/** Returns the document for scripts; its members always have the same order. */
function documentOf(resources: readonly PlannedResource[]): BodyOf<PlanDocument> {
  return {
    ...summaryPart(resources),
    resources: resources.map(
      ({ kind, namespace, name, deploymentID, action, sends, reason, message, ...rest }) => {
        const { changes, revision, withheld, unknown, approval, request } = rest;
        const about = { kind, namespace, name, deploymentID, action, sends, reason, message };
        const told = changes.map((change) => ({ ...change, drift: change.drift === true }));
        return { ...about, changes: told, revision, withheld, unknown, approval, request };
      },
    ),
  };
}

/** Renders the summary of a plan over a fleet: one line for each change that several resources share. */
function renderGroups(resources: readonly PlannedResource[], columns: number): string {
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

/** Returns the groups for programs, with the names of their resources. */
function groupsDocument(resources: readonly PlannedResource[]): BodyOf<PlanGroupsDocument>['groups'] {
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
