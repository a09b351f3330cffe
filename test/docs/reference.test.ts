import { describe, expect, test } from 'vitest';
import { type Crd, readCrd } from '../../scripts/crd.ts';
import type { CrdSchema } from '../../scripts/crd-schema.ts';
import { kindPage } from '../../scripts/reference/kind-page.ts';
import { prose } from '../../scripts/reference/markdown.ts';
import { fullExposition, metricsPage } from '../../scripts/reference/metrics-page.ts';
import { parseArguments, programOf } from '../../src/cli/parse-arguments.ts';
import { textOf } from './support.ts';

const KINDS = [
  { plural: 'deployments', page: 'docs/reference/deployment.md' },
  { plural: 'connections', page: 'docs/reference/connection.md' },
  { plural: 'clusterconnections', page: 'docs/reference/cluster-connection.md' },
];

/** A field of a kind: its parent object and its schema. */
interface Field {
  readonly inside: string;
  readonly name: string;
  readonly schema: CrdSchema;
  readonly required: boolean;
}

function fieldsOf(path: string, schema: CrdSchema): readonly Field[] {
  if (schema.items !== undefined) return fieldsOf(`${path}[]`, schema.items);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { inside: path, name, schema: field, required: schema.required?.includes(name) ?? false },
    ...fieldsOf(`${path}.${name}`, field),
  ]);
}

async function allFields(plural: string): Promise<readonly Field[]> {
  const { schema } = await readCrd(plural);
  const { spec = {}, status = {} } = schema.properties ?? {};
  return [...fieldsOf('spec', spec), ...fieldsOf('status', status)];
}

/** Returns the sections of a page by their headings, with each section on one line. */
function sectionsOf(page: string): ReadonlyMap<string, string> {
  const parts = textOf(page).split(/^#+ /m);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      return [heading.replaceAll('`', ''), lines.join(' ').replaceAll(/\s+/g, ' ')];
    }),
  );
}

/** Returns the text about a field in the section of its object. */
function entryOf({ inside, name }: Field, sections: ReadonlyMap<string, string>): string {
  const entries = (sections.get(inside) ?? '').split(/ (?=- \[?`)| Rules: /);
  return (
    entries.find((entry) => entry.startsWith(`- \`${name}\` `) || entry.startsWith(`- [\`${name}\`]`)) ?? ''
  );
}

describe.each(KINDS)('$page', ({ plural, page }) => {
  test('explains every field of the kind and whether it is required', async () => {
    const fields = await allFields(plural);
    const sections = sectionsOf(page);
    const silent = fields.filter((field) => {
      const entry = entryOf(field, sections);
      const about = prose(field.schema.description ?? '').slice(0, 20);
      return !entry.includes(about) || entry.includes('required)') !== field.required;
    });
    expect(silent.map(({ inside, name }) => `${inside}.${name}`)).toEqual([]);
    expect(fields.length).toBeGreaterThan(50);
  });

  test('has distinct anchors, and links that lead to them', () => {
    const text = textOf(page);
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target);
    expect(new Set(anchors).size).toBe(anchors.length);
    expect(links.filter((target) => !anchors.includes(target))).toEqual([]);
  });
});

describe('the page of a kind', () => {
  const withReplicas = async (schema: CrdSchema): Promise<Crd> => {
    const crd = await readCrd('deployments');
    const { spec, ...others } = crd.schema.properties ?? {};
    const properties = { ...spec?.properties, replicas: schema };
    return { ...crd, schema: { ...crd.schema, properties: { ...others, spec: { ...spec, properties } } } };
  };

  test('cannot be generated while a field has no description', async () => {
    const crd = await withReplicas({ type: 'string' });
    expect(() => kindPage(crd)).toThrow('spec.replicas has no description');
  });

  test('cannot be generated while a keyword has no description', async () => {
    const crd = await withReplicas({ type: 'number', description: 'Some.', multipleOf: 2 });
    expect(() => kindPage(crd)).toThrow('no words for the keyword multipleOf');
  });

  test.each([
    { schema: { type: 'integer', minimum: 1, maximum: 9 }, words: 'integer, 1 to 9' },
    { schema: { type: 'string', minLength: 2 }, words: 'string, at least 2 characters' },
    { schema: { type: 'string', pattern: '^a+$' }, words: 'string, matching `^a+$`' },
    { schema: { type: 'string', enum: ['a', 'b'], maxLength: 9 }, words: 'string, `a` or `b`' },
    { schema: { type: 'string', enum: ['a'] }, words: 'string, `a`' },
    { schema: { type: 'boolean', default: true }, words: 'boolean, default `true`' },
    {
      schema: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 4 } },
      words: 'map of strings, each at most 4 characters, at most 3 keys',
    },
    {
      schema: { type: 'array', 'x-kubernetes-list-type': 'set' as const, items: { type: 'integer' } },
      words: 'list of integers, none twice',
    },
  ])('says $words', async ({ schema, words }) => {
    const crd = await withReplicas({ ...schema, description: 'Some.' });
    expect(kindPage(crd)).toContain(`\n- \`replicas\` (${words}): Some.\n`);
  });
});

describe('docs/reference/cli.md', () => {
  const about = { program: 'dms-operator', version: '', columns: Infinity };
  const program = programOf(about, { write: () => undefined, understood: () => undefined });
  const sections = sectionsOf('docs/reference/cli.md');
  const clusterFlags = sections.get('Which cluster, and as whom, as kubectl has them') ?? '';

  test.each(program.commands.map((command) => ({ command, name: command.name() })))(
    'matches the help of $name',
    ({ command, name }) => {
      const section = sections.get(name) ?? '';
      const shown = section.includes('(#which-cluster') ? section + clusterFlags : section;
      const missing = command.options.filter(({ flags, long = '' }) => {
        const variable = `DMS_OPERATOR${long.replace('-', '').replaceAll('-', '_').toUpperCase()}`;
        return !shown.includes(`- \`${flags}\` (\`${variable}\``);
      });
      expect(section).toContain(prose(command.description()));
      expect(missing.map(({ flags }) => flags)).toEqual([]);
      const help = parseArguments([name, '--help'], about);
      const codes = [...(help.kind === 'text' ? help.text : '').matchAll(/^ {2}(\d+) +(.+)$/gm)];
      const plain = section.replaceAll('`', '');
      expect(codes.filter(([, number, means]) => !plain.includes(`- ${number}: ${means}`))).toEqual([]);
      expect(codes.length).toBeGreaterThan(1);
      expect(command.helpInformation().match(/^ {2}-/gm)).toHaveLength(command.options.length + 1);
    },
  );
});

describe('the page of metrics', () => {
  const gauge = (name: string): string => `# HELP ${name} Some.\n# TYPE ${name} gauge\n`;

  test('cannot be generated while a metric belongs to no section', async () => {
    const exposition = `${await fullExposition()}${gauge('dms_new')}dms_new{kind="a"} 1\n`;
    expect(() => metricsPage(exposition)).toThrow('dms_new belongs to no section');
  });

  test('cannot be generated while the labels of a metric have no example', () => {
    expect(() => metricsPage(gauge('dms_drift_new'))).toThrow('dms_drift_new has no sample');
  });

  test('shows type, labels and meaning', () => {
    const exposition = `${gauge('workqueue_age')}workqueue_age{name="q",kind="a"} 1\n`;
    expect(metricsPage(exposition)).toContain('| `workqueue_age` | gauge | `name`, `kind` | Some |');
  });
});
