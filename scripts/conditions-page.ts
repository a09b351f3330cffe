/** One row of docs/conditions.md by the names of its columns; `Reason` without its quotes. */
export type ReasonRow = Readonly<Record<string, string>>;

/** Sections of docs/conditions.md, each with the type of its reasons in src/api/condition.ts. */
const SECTIONS = [
  { constant: 'SYNCED_TEXTS', type: 'SyncedReason', title: 'Deployment', about: 'Reasons of `Synced`' },
  {
    constant: 'ROLLOUT_TEXTS',
    type: 'RolloutReason',
    title: 'Rollout',
    about: 'Reasons of `Ready` by rollout',
  },
  {
    constant: 'CONNECTION_TEXTS',
    type: 'ConnectionReason',
    title: 'Connection and ClusterConnection',
    about: 'Reasons of `Ready` on a connection',
  },
] as const;

/** Every row of every table under `## TITLE` of docs/conditions.md, in order. */
export function rowsUnder(page: string, title: string): readonly ReasonRow[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  let columns: readonly string[] = [];
  const rows: ReasonRow[] = [];
  for (const line of section.split('\n').filter((text) => text.startsWith('|'))) {
    const cells = line.split('|').slice(1, -1);
    const texts = cells.map((cell) => cell.trim());
    if (texts[0] === 'Reason') columns = texts;
    else if (!/^[-: ]+$/.test(texts[0] ?? '')) {
      const row = columns.map((column, index): [string, string] => [column, texts[index] ?? '']);
      rows.push({ ...Object.fromEntries(row), Reason: (texts[0] ?? '').replaceAll('`', '') });
    }
  }
  return rows;
}

/** Makes the source of the program's texts about reasons from docs/conditions.md. */
export function reasonsSource(page: string): string {
  const tables = SECTIONS.map(({ constant, type, title, about }) => {
    const rows = rowsUnder(page, title).map((row) => [
      row['Reason'],
      { means: plain(row['Means']), todo: plain(row['What to do']) },
    ]);
    return `
/** ${about}, in words for people. */
export const ${constant}: Readonly<Record<${type}, ReasonText>> = ${JSON.stringify(Object.fromEntries(rows))};
`;
  });
  return `import type { ConnectionReason, RolloutReason, SyncedReason } from '../condition.ts';

/** What a reason means, and what a person does about it. */
export interface ReasonText {
  readonly means: string;
  readonly todo: string;
}
${tables.join('')}`;
}

/** Text for a terminal: links lead nowhere there. */
function plain(cell = ''): string {
  return cell.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll(/_([A-Z][a-z]+\.)_/g, '$1');
}
