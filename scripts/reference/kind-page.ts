import { type Crd, partOf } from '../crd.ts';
import type { CrdSchema } from '../crd-schema.ts';
import { anchor, banner, blocks, code, codeBlock, list, prose, table } from './markdown.ts';
import { type CelRule, rulesOf, typeWords } from './schema-words.ts';

const DEEPEST_HEADING = 5;
const RULE_COLUMNS = 100;

/**
 * Makes the page of a kind: a section for each object with all its fields, those of status last. Throws for a field
 * without a description, and for a keyword without a text.
 */
export function kindPage(crd: Crd): string {
  const { kind, plural, group, version, scope, shortNames, schema } = crd;
  const where = scope === 'Namespaced' ? 'It belongs to a namespace' : 'It belongs to no namespace';
  const names = [`${plural}.${group}`, ...shortNames].map(code).join(' or ');
  return blocks(
    banner(`crds/${plural}.yaml`),
    `# ${kind}`,
    prose(described(schema, kind)),
    `Version ${code(`${group}/${version}`)}. ${where}; for kubectl it is ${names}.
[How to read this page](README.md#how-to-read-the-pages-of-the-kinds).`,
    ruleList(schema, ''),
    ...section('spec', partOf(crd, 'spec'), 2),
    ...section('status', partOf(crd, 'status'), 2),
    '## Columns of kubectl get',
    columnsTable(crd),
    '## Rules in CEL',
    ...rulesIn('', schema).map(({ path, rule }) =>
      blocks(`${prose(sentence(rule, path))}:`, codeBlock('cel', wrapped(rule.rule, RULE_COLUMNS))),
    ),
  );
}

function columnsTable({ columns }: Crd): string {
  return table(
    ['Column', 'With', 'What it shows'],
    columns.map(({ name, description, priority = 0 }) => [
      name,
      priority > 0 ? code('-o wide') : '',
      prose(description),
    ]),
  );
}

/** The section of an object and, below it, those of the objects in it. */
function section(path: string, schema: CrdSchema, depth: number): readonly string[] {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const heading = `${'#'.repeat(Math.min(depth, DEEPEST_HEADING))} ${code(path)}`;
  const inside = fields.flatMap(([name, field]) => {
    const { object, suffix } = objectIn(field);
    if (object === undefined) return [];
    // The description of a list is at the list.
    const description = described(field, `${path}.${name}`);
    return section(`${path}.${name}${suffix}`, { ...object, description }, depth + 1);
  });
  return [
    heading,
    prose(described(schema, path)),
    list(fields.map(([name, field]) => fieldEntry(`${path}.${name}`, name, field, required.has(name)))),
    ruleList(schema, path),
    ...inside,
  ];
}

/** Returns the object of a field, or of the entries of its list; absent if it has no fields. */
function objectIn(field: CrdSchema): { readonly object: CrdSchema | undefined; readonly suffix: string } {
  if (field.properties !== undefined) return { object: field, suffix: '' };
  return { object: field.items?.properties === undefined ? undefined : field.items, suffix: '[]' };
}

function fieldEntry(path: string, name: string, field: CrdSchema, required: boolean): string {
  const about = described(field, path);
  const { object, suffix } = objectIn(field);
  const words = [typeWords(field), ...(required ? ['required'] : [])].join(', ');
  if (object !== undefined) {
    const link = `[${code(name)}](${anchor(`${path}${suffix}`)})`;
    return `${link} (${words}): ${prose(firstSentence(about))}`;
  }
  const rules = rulesOf(field).map((rule) => ` Rule: ${prose(rule.message)}.`);
  return `${code(name)} (${words}): ${prose(about)}${rules.join('')}`;
}

function described({ description }: CrdSchema, path: string): string {
  if (description === undefined || description === '') throw new Error(`${path} has no description`);
  return description;
}

function firstSentence(text: string): string {
  return /^.*?\.(?= [A-Z[]|$)/.exec(text)?.[0] ?? text;
}

function ruleList(schema: CrdSchema, path: string): string {
  const rules = rulesOf(schema).map((rule) => sentence(rule, path));
  return rules.length === 0 ? '' : blocks('Rules:', list(rules.map(prose)));
}

/** Returns the demand of a rule, and its field. */
function sentence({ message, fieldPath = '' }: CelRule, path: string): string {
  const field = `${path}${fieldPath}`.replace(/^\./, '');
  return `\`${field}\`: ${message}`;
}

/** Returns every rule of a schema and of the schemas inside it. */
function rulesIn(
  path: string,
  { properties = {}, items, ...schema }: CrdSchema,
): readonly { readonly path: string; readonly rule: CelRule }[] {
  return [
    ...rulesOf(schema).map((rule) => ({ path, rule })),
    ...Object.entries(properties).flatMap(([name, field]) => rulesIn(`${path}.${name}`, field)),
    ...(items === undefined ? [] : rulesIn(`${path}[]`, items)),
  ];
}

/** Breaks a text into lines of at most so many characters, if words allow it. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
