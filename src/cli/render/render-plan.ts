import { isWorthShowing, summaryOf } from '../../views/plans/plan-summary.ts';
import {
  drifted,
  heldBeside,
  type PlannedAction,
  type PlannedResource,
} from '../../views/plans/planned-resource.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import type { Paint, Style } from '../terminal/paint.ts';
import { renderJson } from './render-data.ts';
import { renderWhole } from './render-table.ts';

const INDENT = '    ';

const MARKS: Readonly<Record<PlannedAction, readonly [mark: string, words: string, style: Style]>> = {
  None: [' ', 'nothing to do', 'dim'],
  Create: ['+', 'create', 'green'],
  Update: ['~', 'update', 'yellow'],
  Delete: ['-', 'delete', 'red'],
  Approve: ['?', 'waits for approval', 'cyan'],
  Release: [' ', 'let go', 'dim'],
  Wait: ['.', 'waiting', 'dim'],
  Held: ['!', 'held', 'red'],
  Error: ['!', 'not known', 'red'],
  Added: ['+', 'added', 'green'],
  Changed: ['~', 'changed', 'yellow'],
  Removed: ['-', 'removed', 'red'],
};

/** Renders a plan for a terminal or a log: the changes of one resource after the other, and a line with the counts. */
export function renderPlan(resources: readonly PlannedResource[], columns: number, paint: Paint): string {
  const shown = resources.filter(isWorthShowing);
  const failures = shown.filter(({ action }) => action === 'Error');
  const parts = shown
    .filter(({ action }) => action !== 'Error')
    .map((resource) => `${resourceText(resource, columns, paint)}\n`);
  const summary = paint(`Plan: ${summaryOf(resources)}.`, 'bold');
  return `${[...parts, ...failureTexts(failures, paint)].join('')}${summary}\n`;
}

/** Prints a problem of a connection once, whatever the number of resources that use it. */
function failureTexts(failures: readonly PlannedResource[], paint: Paint): readonly string[] {
  const byMessage = Map.groupBy(failures, ({ message }) => message);
  return [...byMessage].map(([message, resources]) => {
    const [first] = resources;
    const [mark, words, style] = MARKS.Error;
    const which =
      resources.length === 1 && first !== undefined ? nameOf(first) : `${resources.length} resources`;
    return `${paint(`${mark} ${which}: ${words}`, style)}: ${textForPeople(message)}\n`;
  });
}

function resourceText(resource: PlannedResource, columns: number, paint: Paint): string {
  const { action, reason, message, deploymentID } = resource;
  const [mark, words, style] = MARKS[action];
  const about = [reason, message === '' ? undefined : textForPeople(message)].filter(
    (part) => part !== undefined,
  );
  const id = deploymentID === undefined ? '' : ` (${textForPeople(deploymentID, 64)})`;
  const heading = `${mark} ${nameOf(resource)}${id}: ${words}`;
  const why = about.length === 0 ? '' : `: ${about.join(': ')}`;
  return [`${paint(heading, style)}${why}\n`, changeTable(resource, columns), ...notes(resource)].join('');
}

function changeTable({ changes }: PlannedResource, columns: number): string {
  if (changes.length === 0) return '';
  const rows = changes.map(({ path, from, to, revision }) => [path, from, to, revision.toLowerCase()]);
  const header = ['FIELD', 'FROM', 'TO', 'REVISION'];
  return indented(renderWhole({ header, rows }, columns - INDENT.length));
}

function notes(resource: PlannedResource): readonly string[] {
  const { revision, unknown, request } = resource;
  return [
    ...(revision === undefined ? [] : [`revision ${revision.expected.toLowerCase()}: ${revision.why}`]),
    ...driftNote(resource),
    ...heldBeside(resource).map(({ path, reason, message }) => `held back: ${path}: ${reason}: ${message}`),
    ...unknown.map(({ path, why }) => `cannot be judged: ${path}: ${why}`),
  ]
    .map((line) => `${INDENT}${textForPeople(line)}\n`)
    .concat(request === undefined ? [] : indented(requestText(request)));
}

function driftNote(resource: PlannedResource): readonly string[] {
  const paths = drifted(resource);
  return paths.length === 0
    ? []
    : [`drift: changed at the service since it was applied: ${paths.join(', ')}`];
}

/** Returns the request that would be sent, as text for people. */
export function requestText({ method, path, body }: NonNullable<PlannedResource['request']>): string {
  const text = body === undefined ? '' : renderJson(body);
  return `${method} ${path}\n${text}`;
}

/** Returns the name of a resource in a plan, with its kind unless it is the usual one. */
export function nameOf({ kind, namespace, name }: PlannedResource): string {
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return kind === 'Deployment' ? place : `${kind} ${place}`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENT);
}
