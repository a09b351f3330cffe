import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { type ChartChange, changesIn, type Crd } from '../../scripts/chart/artifact-hub.ts';
import { changesOf } from '../../scripts/release/notes.ts';
import { run } from '../cli/support/terminal.ts';
import { textOf } from '../docs/support.ts';
import { useHelm } from '../support/programs/helm.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { CHART, templated } from './support/rendered.ts';

const helm = useHelm();

/** Returns the annotations of the chart, as Helm shows them. */
async function annotations(): Promise<Readonly<Record<string, string>>> {
  const chart = parse(await helm.output(['show', 'chart', CHART])) as {
    readonly annotations: Readonly<Record<string, string>>;
  };
  return chart.annotations;
}

/** Returns the YAML in an annotation. */
async function listed<T>(name: string): Promise<readonly T[]> {
  return parse((await annotations())[`artifacthub.io/${name}`] ?? '') as readonly T[];
}

describe('the Artifact Hub page of the chart', () => {
  test('has a card for each CRD that the chart installs, with our descriptions', async () => {
    const crds = [...(await templated(helm)).values()].flatMap((document) =>
      document.kind === 'CustomResourceDefinition' ? [document as unknown as Crd] : [],
    );
    const cards = crds.map(({ metadata, spec: { names, versions } }) => ({
      kind: names.kind,
      version: versions[0].name,
      name: metadata.name,
      displayName: names.kind,
      description: versions[0].schema.openAPIV3Schema.description,
    }));
    expect(cards).toHaveLength(3);
    expect(await listed('crds')).toEqual(expect.arrayContaining(cards));
    expect(await listed('crds')).toHaveLength(cards.length);
  });

  test('has a valid example of each CRD', async () => {
    const examples = await listed<{ readonly kind: string }>('crdsExamples');
    const kinds = (await listed<{ readonly kind: string }>('crds')).map(({ kind }) => kind);
    expect(examples.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
    const text = examples.map((example) => stringify(example)).join('---\n');
    const { code, out } = await run(['validate', '-f', temporaryFolder({ 'all.yaml': text }).path]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(' 0 errors') as string });
  });

  test('names the image that the chart runs', async () => {
    const rendered = await templated(helm);
    const workload = rendered.get('Deployment dms-operator/dms-operator') as unknown as Workload;
    const images = workload.spec.template.spec.containers.map(({ image }) => image);
    expect(await listed('images')).toEqual(images.map((image) => ({ name: 'dms-operator', image })));
  });

  test('lists every change in the changelog for the version', async () => {
    const section = changesOf(textOf('CHANGELOG.md'), packageFile.version);
    const changes = await listed<ChartChange>('changes');
    expect(changes).toEqual(changesIn(section));
    const [listedThere] = section.split(/^### (?!Added|Changed|Deprecated|Removed|Fixed|Security)/m);
    expect(changes).toHaveLength(listedThere?.match(/^- /gm)?.length ?? 0);
  });

  test('shows the licence, the operator flag, and whether the version is a candidate', async () => {
    expect(await annotations()).toMatchObject({
      'artifacthub.io/license': packageFile.license,
      'artifacthub.io/operator': 'true',
      'artifacthub.io/prerelease': String(packageFile.version.includes('-')),
    });
  });
});

describe('a change', () => {
  test('is described by the first sentence of its entry, without marks', () => {
    const section = [
      ...[
        '### Added',
        '',
        '- **Words**: `get` of 1.2 shows [a',
        '  page](docs/a.md). `b` more. And',
        '  more.',
      ],
      ...[
        '- Another',
        '',
        '### Tools',
        '',
        '- not ours',
        '',
        '### Fixed',
        '',
        '#### Commands',
        '',
        '- One',
        '',
      ],
      ...['#### Folders', '', '- **`approve --all`** ends.'],
    ].join('\n');
    expect(changesIn(section)).toEqual([
      { kind: 'added', description: 'Words: get of 1.2 shows a page.' },
      { kind: 'added', description: 'Another' },
      { kind: 'fixed', description: 'One' },
      { kind: 'fixed', description: 'approve --all ends.' },
    ]);
  });

  test.each([
    ['1.0.0', '- first'],
    ['1.1.0', '- to come'],
  ])('of %s is under its heading, or is to come', (version, text) => {
    expect(changesOf('# Changelog\n\n## Unreleased\n\n- to come\n\n## 1.0.0\n\n- first\n', version)).toBe(
      text,
    );
  });
});

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly image: string }[] };
    };
  };
}
