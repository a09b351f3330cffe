import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { deploymentYaml } from '../../directory/support/manifests.ts';
import { textOf } from '../../docs/support.ts';
import { AGENT, given, NEWER } from '../support/applied.ts';
import { expectAsPublished, schemaFile, schemaNameOf, schemaNames } from '../support/documents.ts';
import { INTEGRATION, PROVIDER, REPOSITORY } from '../support/inventory.ts';
import { run } from '../support/terminal.ts';

const GOLDEN = join(import.meta.dirname, '..', 'golden');

/** A recording of a command with JSON output. */
interface Recorded {
  readonly file: string;
  readonly name: string;
  readonly document: unknown;
}

function recorded(): readonly Recorded[] {
  return readdirSync(GOLDEN).flatMap((file) => {
    const [typed = '', ...lines] = readFileSync(join(GOLDEN, file), 'utf8').split('\n');
    const name = schemaNameOf(typed.split(' ').slice(2));
    const document = lines.slice(lines.indexOf('{'), lines.lastIndexOf('}') + 1).join('\n');
    return name === undefined || document === '' ? [] : [{ file, name, document: JSON.parse(document) }];
  });
}

/** Runs a command with JSON output, which `run` validates against its schema. Returns the name of the schema. */
async function printed(...words: readonly string[]): Promise<string | undefined> {
  const all = [...words, '-o', 'json'];
  const { out, err } = await run(all);
  expect(out, err).not.toBe('');
  return schemaNameOf(all);
}

describe('a JSON document', () => {
  it.each(recorded())('matches its schema in every recording: $file', ({ name, document }) => {
    expectAsPublished(name, document);
  });

  it('matches its schema, for every command, while deployments change', async () => {
    const { folder } = await given(
      { 'agent.yaml': deploymentYaml('agent', { image: NEWER }), 'bot.yaml': deploymentYaml('bot') },
      {
        seeds: [{ ...AGENT, secrets: [{ name: 'A', value: 'value-of-a' }] }],
        integrations: [{ id: INTEGRATION, repositories: [REPOSITORY] }],
        providers: [PROVIDER],
      },
    );
    const commands = [
      ['validate'],
      ['plan', '--detailed'],
      ['plan', '--group'],
      ['apply', '--timeout', '10s'],
      ['plan'],
      ['status'],
      ['describe', 'agent'],
      ['get', 'deployments'],
      ['get', 'providers'],
      ['get', 'repositories', '--integration', INTEGRATION],
      ['pause', '--all'],
    ];
    const names: (string | undefined)[] = [];
    for (const words of commands) names.push(await printed(...words, '-f', folder.path));
    expect(new Set(names)).toEqual(new Set(schemaNames()));
  });
});

describe('a published schema', () => {
  const [sample] = recorded().filter(({ name }) => name === 'plan');

  it.each(schemaNames())('has draft 7, its address and a description of each member: %s', (name) => {
    const text = textOf(schemaFile(name));
    const schema = JSON.parse(text) as Readonly<Record<string, unknown>>;
    expect(new Ajv().validateSchema(schema)).toBe(true);
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: `https://dms-operator.dev/${schemaFile(name)}`,
    });
  });

  it('accepts members that a later release adds', () => {
    const later = { ...(sample?.document as object), added: true };
    expect(new Ajv().validate(JSON.parse(textOf(schemaFile('plan'))) as object, later)).toBe(true);
    expect(() => expectAsPublished('plan', later)).toThrow('plan.json');
  });

  it('refuses another version, and a document without a required member', () => {
    const ajv = new Ajv().compile(JSON.parse(textOf(schemaFile('plan'))) as object);
    expect(ajv({ ...(sample?.document as object), formatVersion: 2 })).toBe(false);
    expect(ajv({ formatVersion: 1, resources: [] })).toBe(false);
  });
});
