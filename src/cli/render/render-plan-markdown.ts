import { isWorthShowing, summaryOf } from '../../views/plans/plan-summary.ts';
import { drifted, heldBeside, type PlannedResource } from '../../views/plans/planned-resource.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { nameOf, requestText } from './render-plan.ts';

/** The longest comment. GitHub accepts 65,536 characters; the caller may add a line. */
const MOST_CHARACTERS = 60_000;

/** The longest table, which comes first and leaves room for details. */
const MOST_IN_TABLE = 45_000;

/** The number of paths that a row of the table names; the others are only counted. */
const PATHS_IN_ROW = 3;

/** Renders a plan as a comment on a pull request: its summary, a table, and folded details. */
export function renderPlanMarkdown(resources: readonly PlannedResource[]): string {
  const shown = resources.filter(isWorthShowing);
  const heading = `### dms-operator plan: ${summaryOf(resources)}\n`;
  if (shown.length === 0) return heading;
  const head = `${heading}\n| Resource | Plan | Fields | Revision |\n|---|---|---|---|\n`;
  const table = fitting(shown.map(row), MOST_IN_TABLE - head.length);
  const rest = shown.length - table.taken;
  const more = rest === 0 ? '' : `\n${rest} more resources are not listed here.\n`;
  const above = `${head}${table.text}${more}`;
  const details = fitting(shown.map(detail), MOST_CHARACTERS - above.length - 200);
  const left = shown.length - details.taken;
  const hint = left === 0 ? '' : `\nDetails of ${left} resources are left out; run the plan to see them.\n`;
  return `${above}\n${details.text}${hint}`;
}

/** Returns as many of the texts as fit, in their order. */
function fitting(texts: readonly string[], room: number): { readonly text: string; readonly taken: number } {
  let text = '';
  let taken = 0;
  for (const next of texts) {
    if (text.length + next.length > room) break;
    text += next;
    taken += 1;
  }
  return { text, taken };
}

function row(resource: PlannedResource): string {
  const { action, reason, changes, withheld, unknown, revision, message } = resource;
  const paths = [...new Set([...changes, ...withheld, ...unknown].map(({ path }) => path))];
  const more = paths.length > PATHS_IN_ROW ? ` and ${paths.length - PATHS_IN_ROW} more` : '';
  const fields = paths.slice(0, PATHS_IN_ROW).map(code).join(', ');
  // For a removed resource, says what happens to its deployment.
  const why = fields === '' || action === 'Removed' ? plain(message, 120) : `${fields}${more}`;
  const plan = `${action === 'None' ? 'unchanged' : action.toLowerCase()}${reason === undefined ? '' : ` (${reason})`}`;
  const cells = [code(nameOf(resource)), plan, why, revision?.expected.toLowerCase() ?? ''];
  return `| ${cells.join(' | ')} |\n`;
}

function detail(resource: PlannedResource): string {
  const { changes, revision, unknown, message, request } = resource;
  const rows = changes.map(
    ({ path, from, to, revision: makes }) =>
      `| ${[code(path), code(from), code(to), makes.toLowerCase()].join(' | ')} |\n`,
  );
  const table =
    rows.length === 0 ? '' : `\n| Field | From | To | Revision |\n|---|---|---|---|\n${rows.join('')}`;
  const notes = [
    ...(message === '' ? [] : [plain(message)]),
    ...(revision === undefined
      ? []
      : [`Revision ${revision.expected.toLowerCase()}: ${plain(revision.why)}.`]),
    ...drifted(resource).map(
      (path) => `Drift: ${code(path)} was changed at the service since it was applied.`,
    ),
    ...heldBeside(resource).map(({ path, message: why }) => `Held back: ${code(path)}: ${plain(why)}`),
    ...unknown.map(({ path, why }) => `Cannot be judged: ${code(path)}: ${plain(why)}`),
  ];
  const list = notes.length === 0 ? '' : `\n${notes.map((note) => `- ${note}\n`).join('')}`;
  const sent = request === undefined ? '' : `\n<pre>${escaped(requestText(request))}</pre>\n`;
  return `<details><summary>${code(nameOf(resource))}</summary>\n${table}${list}${sent}\n</details>\n`;
}

/** Escapes a value so that Markdown makes no mention, link or table cell from it. */
function code(text: string): string {
  return `<code>${plain(text, 256)}</code>`;
}

function plain(text: string, maxBytes?: number): string {
  return escaped(textForPeople(text, maxBytes));
}

/** Escapes everything that Markdown or HTML could read as more than text. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\s.,/;()=+'-]/gu, (character) => `&#${character.codePointAt(0)};`);
}
