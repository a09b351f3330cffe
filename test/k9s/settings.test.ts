import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { textOf } from '../docs/support.ts';

interface Plugin {
  readonly shortCut: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly command: string;
  readonly args: readonly string[];
  readonly confirm?: boolean;
  readonly dangerous?: boolean;
  readonly background?: boolean;
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string; readonly shortNames: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
      readonly additionalPrinterColumns: readonly { readonly name: string }[];
    }[];
  };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const { plugins } = parse(textOf('manifests/k9s/plugins.yaml')) as { plugins: Record<string, Plugin> };
const { views } = parse(textOf('manifests/k9s/views.yaml')) as {
  views: Record<string, { readonly columns: readonly string[]; readonly sortColumn?: string }>;
};
const CRDS = ['deployments', 'connections', 'clusterconnections'].map(
  (name) => parse(textOf(`crds/${name}.yaml`)) as Crd,
);

/** Everything that k9s reads of a plug-in; it refuses a file with more. */
const KNOWN = ['shortCut', 'description', 'scopes', 'command', 'args', 'confirm', 'dangerous', 'background'];

describe.each(Object.entries(plugins))('the plug-in %s', (_, plugin) => {
  test('has the fields that k9s asks for and no others, and is where our kinds are listed', () => {
    const shortNames = CRDS.flatMap(({ spec }) => spec.names.shortNames);
    expect(Object.keys(plugin).filter((field) => !KNOWN.includes(field))).toEqual([]);
    expect(plugin).toMatchObject({
      shortCut: expect.any(String) as string,
      description: expect.any(String) as string,
    });
    expect(plugin.scopes.filter((scope) => !shortNames.includes(scope))).toEqual([]);
  });

  test('runs a command that the program understands', () => {
    const values: Readonly<Record<string, string>> = {
      $NAME: 'agent',
      $NAMESPACE: 'team-a',
      $CONTEXT: 'here',
    };
    const words =
      plugin.command === 'kubectl'
        ? plugin.args
        : (/^kubectl (.*) \| less -R$/.exec(plugin.args[1] ?? '')?.[1] ?? '')
            .replaceAll(/"\$(\d)"/g, (_, at: string) => plugin.args[Number(at) + 2] ?? '')
            .split(' ');
    expect(words[0]).toBe('dms');
    const line = words.slice(1).map((word) => values[word] ?? word);
    expect(line.filter((word) => word.includes('$'))).toEqual([]);
    expect(parseArguments(line, { program: 'kubectl dms', version: '0', columns: 80 }).kind).not.toBe('text');
  });
});

test('no two plug-ins have one key', () => {
  const keys = Object.values(plugins).map(({ shortCut }) => shortCut);
  expect(new Set(keys).size).toBe(keys.length);
});

test('whatever changes something asks first, by itself or in k9s', () => {
  const changing = Object.values(plugins).filter(({ args }) => /pause|resume|redeploy/.test(args.join(' ')));
  expect(changing.every(({ confirm, dangerous }) => confirm === true && dangerous === true)).toBe(true);
});

describe.each(Object.entries(views))('the columns of %s', (name, view) => {
  const crd = CRDS.find(
    ({ spec }) => name === `${spec.group}/${spec.versions[0]?.name ?? ''}/${spec.names.plural}`,
  );
  const version = crd?.spec.versions[0];

  test('are those of a kind of ours', () => {
    expect(version).toBeDefined();
  });

  test('name fields that the kind has, or columns that it prints', () => {
    const printed = [
      'NAMESPACE',
      'NAME',
      'AGE',
      ...(version?.additionalPrinterColumns ?? []).map((column) => column.name.toUpperCase()),
    ];
    const wrong = view.columns.filter((column) => {
      const [, title = '', path] = /^([A-Z]+)(?::(\S*?))?(?:\|[A-Z]+)?$/.exec(column) ?? [];
      return path === undefined ? !printed.includes(title) : !hasField(version?.schema.openAPIV3Schema, path);
    });
    expect(wrong).toEqual([]);
  });

  test('hold the one that it is sorted by', () => {
    const [sorted] = view.sortColumn?.split(':') ?? [];
    if (sorted !== undefined) expect(view.columns).toContain(sorted);
  });
});

function hasField(schema: Schema | undefined, path: string): boolean {
  const steps = path
    .replaceAll(/\[[^\]]*\]/g, '.[]')
    .split('.')
    .filter((step) => step !== '');
  let at = schema;
  for (const step of steps) at = step === '[]' ? at?.items : at?.properties?.[step];
  return at !== undefined;
}
