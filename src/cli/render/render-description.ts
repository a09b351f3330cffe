import type { DeploymentResource } from '../../api/deployment.ts';
import {
  adviceFor,
  askedFor,
  commandFor,
  describable,
  observedFields,
} from '../../views/resources/description.ts';
import { renderData } from './render-data.ts';
import { renderTable, renderWhole } from './render-table.ts';

type DescriptionFormat = 'text' | 'json' | 'yaml';

interface Around {
  readonly columns: number;
  /** True if the resource comes from manifests, which need not have a running controller. */
  readonly inManifests: boolean;
}

/** Renders the declaration of one resource, and the observations about it. Pure; ends with a line break. */
export function renderDescription(
  resource: DeploymentResource,
  format: DescriptionFormat,
  around: Around,
): string {
  return format === 'text' ? description(resource, around) : renderData(describable(resource), format);
}

const INDENT = '  ';

type Status = NonNullable<DeploymentResource['status']>;
type Rows = readonly (readonly string[])[];

/** Returns headings with their contents, if there are any. */
function description(resource: DeploymentResource, { columns, inManifests }: Around): string {
  const { status = {} } = resource;
  const asked = askedFor(resource).map(({ path, value }) => [path, value]);
  const tables: readonly (readonly [title: string, header: string, rows: Rows])[] = [
    ['Conditions', 'TYPE,STATUS,REASON,SINCE,MESSAGE', conditionRows(status)],
    ['Asked for', 'FIELD,VALUE', asked],
    ['Observed', 'FIELD,VALUE', observedRows(status)],
    ['Plan', 'FIELD,FROM,TO,REVISION', planRows(status)],
    ['Revisions', 'ID,CAUSE,FIRST SEEN,ACTIVE SINCE,MADE OF', revisionRows(status)],
  ];
  const sections = tables
    .filter(([, , rows]) => rows.length > 0)
    .map(([title, header, rows]) => {
      const text = renderWhole({ header: header.split(','), rows }, columns - INDENT.length);
      return `\n${title}:\n${indented(text)}`;
    });
  return [
    headText(resource),
    `\nWhat to do next:\n${indented(nextText(resource, inManifests))}`,
    ...sections,
  ].join('');
}

function headText({ metadata, spec, status }: DeploymentResource): string {
  const { connectionKind, connectionName } = status?.binding ?? {};
  const id = status?.deploymentID ?? spec.deploymentRef?.id;
  const called = status?.name ?? spec.deploymentRef?.name ?? metadata.name;
  const rows = [
    ['Name:', `${metadata.namespace ?? ''}/${metadata.name}`],
    ['Deployment:', id === undefined ? called : `${called} (${id})`],
    ['Source:', spec.source],
    [
      'Connection:',
      connectionName === undefined ? 'not bound yet' : `${connectionKind ?? ''} ${connectionName}`,
    ],
    ['State:', status?.serviceStatus ?? 'not known'],
  ];
  return renderTable({ header: rows[0] ?? [], rows: rows.slice(1) });
}

function nextText(resource: DeploymentResource, inManifests: boolean): string {
  const { metadata, status } = resource;
  if ((status?.conditions ?? []).length === 0) {
    return 'Nothing is known of it yet: see whether a controller works on it, or ask with "plan".\n';
  }
  const behind = (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
  const lines = adviceFor(resource).map(({ reason, message, means, todo }) =>
    [`${reason}: ${message}`, means, todo, ...lineAbout(commandFor(reason, metadata.name))].join(
      `\n${INDENT}`,
    ),
  );
  const then = inManifests
    ? '"plan" shows what would be sent, and "apply" sends it.'
    : `Wait a moment, or ask with "reconcile ${metadata.name}".`;
  const late = behind ? [`The spec was changed since it was last looked at. ${then}`] : [];
  const all = [...late, ...lines];
  return `${all.length === 0 ? 'Nothing: it is as it was asked for.' : all.join('\n')}\n`;
}

function lineAbout(command: string | undefined): readonly string[] {
  return command === undefined ? [] : [`Or let "${command}" set the annotation.`];
}

function conditionRows({ conditions = [] }: Status): Rows {
  return conditions.map(({ type, status, reason, lastTransitionTime, message }) => [
    ...[type, status, reason, lastTransitionTime],
    message,
  ]);
}

function observedRows(status: Status): Rows {
  return observedFields(status).map(({ path, value }) => [path, value]);
}

function planRows({ plan }: Status): Rows {
  const { changes = [], changesOmitted = 0 } = plan ?? {};
  return [
    ...changes.map(({ path, from, to, revision }) => [path, from ?? '', to ?? '', revision ?? '']),
    ...(changesOmitted === 0 ? [] : [[`and ${changesOmitted} more`]]),
  ];
}

function revisionRows({ revisions = [] }: Status): Rows {
  return revisions.map(({ id, cause, firstSeenTime, activeTime, imageURI, repoCommitSHA }) => [
    id,
    cause ?? '',
    firstSeenTime ?? '',
    activeTime ?? 'not active yet',
    imageURI ?? repoCommitSHA ?? '',
  ]);
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENT);
}
