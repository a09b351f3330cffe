import { countsOf, verdictOf } from '../../views/plans/plan-summary.ts';
import type { PlannedResource } from '../../views/plans/planned-resource.ts';
import type { PlanDocument, PlanGroupsDocument } from '../generated/documents.ts';
import type { Paint } from '../terminal/paint.ts';
import { type BodyOf, renderDocument } from './render-data.ts';
import { groupsDocument, renderGroups } from './render-groups.ts';
import { renderPlan } from './render-plan.ts';
import { renderPlanMarkdown } from './render-plan-markdown.ts';

type PlanFormat = 'text' | 'json' | 'yaml' | 'markdown';

/** Renders a plan, or with `grouped` its sum. Pure; ends in a line end. */
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
  return { ...summaryOf(resources), groups: groupsDocument(resources) };
}

function summaryOf(resources: readonly PlannedResource[]): Pick<PlanDocument, 'summary'> {
  return { summary: { verdict: verdictOf(resources), ...countsOf(resources) } };
}

/** The document for scripts; its members stand in the same order every time. */
function documentOf(resources: readonly PlannedResource[]): BodyOf<PlanDocument> {
  return {
    ...summaryOf(resources),
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
