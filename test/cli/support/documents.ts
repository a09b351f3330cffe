import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import { closed, type JsonSchema } from '../../../scripts/schemas/draft.ts';
import { FORMAT_VERSION } from '../../../src/cli/render/render-data.ts';
import { ROOT, textOf } from '../../docs/support.ts';

/** The folder of the schemas, below the project. */
const FOLDER = `docs/reference/schemas/output-v${FORMAT_VERSION}`;

/** Commands that print the same document as others, and commands that print several documents. */
const OTHERS: Readonly<Record<string, string>> = {
  ...{ pause: 'verbs', resume: 'verbs', reconcile: 'verbs', redeploy: 'verbs', approve: 'verbs' },
  ...{ 'plan --group': 'plan-groups', 'get deployments': 'get-deployments' },
  ...{ 'get repositories': 'get-repositories', 'get providers': 'get-providers' },
};

const validators = new Map<string, ValidateFunction>();

/** Returns the name of the schema of a command's output; undefined without JSON output. */
export function schemaNameOf(words: readonly string[]): string | undefined {
  const [command = '', second = ''] = words;
  if (!/ (?:-o|--output)[ =]?json /.test(` ${words.join(' ')} `)) return undefined;
  const grouped = words.includes('--group') ? `${command} --group` : `${command} ${second}`;
  return OTHERS[grouped] ?? OTHERS[command] ?? command;
}

/** Returns the names of all schemas. */
export function schemaNames(): readonly string[] {
  return readdirSync(join(ROOT, FOLDER)).map((file) => file.replace(/[.]json$/, ''));
}

/** Returns the file of a schema, below the project. */
export function schemaFile(name: string): string {
  return `${FOLDER}/${name}.json`;
}

/** Throws if a document does not match the published schema of its command, or has a member that the schema lacks. */
export function expectAsPublished(name: string, document: unknown): void {
  const known = validators.get(name) ?? new Ajv({ allErrors: true }).compile(closedSchema(name));
  validators.set(name, known);
  known(document);
  expect(known.errors ?? [], `what ${schemaFile(name)} says`).toEqual([]);
}

/**
 * Returns the closed form of a schema. Published schemas are open, because later releases add members. This release
 * prints no member that they lack.
 */
function closedSchema(name: string): JsonSchema {
  return closed(JSON.parse(textOf(schemaFile(name))) as JsonSchema);
}
