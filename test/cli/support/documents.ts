import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import { closed, type JsonSchema } from '../../../scripts/schemas/draft.ts';
import { FORMAT_VERSION } from '../../../src/cli/render/render-data.ts';
import { ROOT, textOf } from '../../docs/support.ts';

/** Below the project. */
const FOLDER = `docs/reference/schemas/output-v${FORMAT_VERSION}`;

/** Commands that print the same document as others, and those that print several. */
const OTHERS: Readonly<Record<string, string>> = {
  ...{ pause: 'verbs', resume: 'verbs', reconcile: 'verbs', redeploy: 'verbs', approve: 'verbs' },
  ...{ 'plan --group': 'plan-groups', 'get deployments': 'get-deployments' },
  ...{ 'get repositories': 'get-repositories', 'get providers': 'get-providers' },
};

const validators = new Map<string, ValidateFunction>();

/** The name of the schema of what a command prints; undefined where it was not asked for JSON. */
export function schemaNameOf(words: readonly string[]): string | undefined {
  const [command = '', second = ''] = words;
  if (!/ (?:-o|--output)[ =]?json /.test(` ${words.join(' ')} `)) return undefined;
  const grouped = words.includes('--group') ? `${command} --group` : `${command} ${second}`;
  return OTHERS[grouped] ?? OTHERS[command] ?? command;
}

/** The names of all schemas. */
export function schemaNames(): readonly string[] {
  return readdirSync(join(ROOT, FOLDER)).map((file) => file.replace(/[.]json$/, ''));
}

/** The file of a schema, below the project. */
export function schemaFile(name: string): string {
  return `${FOLDER}/${name}.json`;
}

/** Fails where a document is not as the published schema of its command says, or has a member that stands in none. */
export function expectAsPublished(name: string, document: unknown): void {
  const known = validators.get(name) ?? new Ajv({ allErrors: true }).compile(closedSchema(name));
  validators.set(name, known);
  known(document);
  expect(known.errors ?? [], `what ${schemaFile(name)} says`).toEqual([]);
}

/** Published schemas are open: later releases add members. What this release prints has none that they do not name. */
function closedSchema(name: string): JsonSchema {
  return closed(JSON.parse(textOf(schemaFile(name))) as JsonSchema);
}
