import fc from 'fast-check';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderManifest } from '../../../src/cli/render/render-manifest.ts';
import { renderYaml } from '../../../src/cli/render/render-yaml.ts';
import { readYaml } from '../../../src/directory/yaml/read-yaml.ts';
import { type Adopted, adopted } from '../../../src/views/manifests/adopted.ts';
import { anObserved } from '../../support/resources/builders.ts';

const options = { ...(await resolveConfig('manifest.yaml')), parser: 'yaml' } as const;

function anAdopted(withSecrets: boolean, oddName = withSecrets ? 'odd: - name' : 'odd\n- name'): Adopted {
  const observed = anObserved({
    source: 'codehost',
    sourceConfig: { fields: { buildOnPush: false, customURL: 'https://agent.example.com' } },
    sourceRevisionConfig: { fields: { repoRef: 'on', graphConfigPath: 'a\nb' } },
    secrets: [{ name: 'API_TOKEN' }, { name: oddName }],
  });
  const connection = { kind: 'Connection', name: 'main' } as const;
  const about = { name: 'support-agent', namespace: 'team-a', connection, ambiguous: false, withSecrets };
  return adopted(observed, about) as Adopted;
}

describe('the text of a manifest', () => {
  it.each([
    ['comments', false],
    ['references', true],
  ])('has secrets as %s', async (form, withSecrets) => {
    await expect(renderManifest(anAdopted(withSecrets))).toMatchFileSnapshot(
      `../golden/manifest-with-secrets-as-${form}.yaml`,
    );
  });

  it('names secrets only in comments if one has a name that no manifest may hold', () => {
    expect(renderManifest(anAdopted(true, 'odd\n- name'))).toBe(renderManifest(anAdopted(false)));
  });

  it.each([true, false])('reads back as the same manifest', (withSecrets) => {
    const found = anAdopted(withSecrets);
    const { documents, findings } = readYaml(renderManifest(found));
    expect(findings).toEqual([]);
    expect(documents.at(-1)?.value).toEqual(found.document);
    expect(documents.every(({ warnings }) => warnings.length === 0)).toBe(true);
  });
});

describe('YAML', () => {
  it('keeps byte order marks, at its start and within', () => {
    const written = { '\ufeffkey': '\ufeff', 'in\ufeffside': ['a\ufeff', 'a\n\ufeffb\n'] };
    const rendered = renderYaml(written);
    expect(rendered).not.toContain('\ufeff');
    expect([parse(rendered), readYaml(rendered).documents[0]?.value]).toEqual([written, written]);
  });

  it('reads back as the same value, in the layout of this project, with or without comments', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'yes',
        '1:30',
        '0o7',
        '~',
        "it's",
        '"',
        'a: b',
        '# x',
        'a\nb\n',
        '\n',
        ' a',
        'a ',
        '- a',
        '1e3',
        '\u007f',
        '\u0085 a',
      ),
      fc.stringMatching(/^[a-z\n #:'"-]{0,40}$/),
    );
    const long = fc.constant('words and '.repeat(20).trim());
    const value = fc.oneof(text, long, fc.boolean(), fc.integer(), fc.array(text), fc.constant({}));
    // A manifest with this key is refused.
    const key = text.filter((one) => one !== '__proto__');
    const object = fc.dictionary(key, value, { minKeys: 1 });
    await fc.assert(
      fc.asyncProperty(object, fc.boolean(), async (spec, commented) => {
        const written = { kind: 'Deployment', spec };
        const lines = commented ? ['Secrets:', '- A'] : [];
        const rendered = renderYaml(written, { below: { path: ['spec'], lines } });
        expect(parse(rendered)).toEqual(written);
        const { documents } = readYaml(rendered);
        expect(documents.map((document) => [document.value, document.warnings])).toEqual([[written, []]]);
        expect(await format(rendered, options)).toBe(rendered);
      }),
      { numRuns: 200 },
    );
  });
});
