import { describe, expect, it } from 'vitest';
import { keyText } from '../../../src/api/metadata.ts';
import { editAnnotations } from '../../../src/directory/manifests/annotation-edit.ts';
import { readManifest } from '../../../src/directory/manifests/read-manifest.ts';
import { readYaml } from '../../../src/directory/yaml/read-yaml.ts';

const PAUSED = 'dms-operator.dev/paused';

/** Edits a text as a verb does. It finds the objects in the text, each by its name. */
function edit(text: string, ...changes: readonly { of?: string; name?: string; value: string | null }[]) {
  const declared = readYaml(text).documents.flatMap((document) => readManifest(document).declared);
  return editAnnotations(
    text,
    changes.map(({ of = 'a', name = PAUSED, value }) => {
      const one = declared.find(({ key }) => key.name === of);
      if (one === undefined)
        throw new Error(`${of} is not declared: ${declared.map(({ key }) => keyText(key)).join()}`);
      return { key: one.key, object: one.object, change: { name, value } };
    }),
  );
}

/** Returns a manifest with the given metadata text. */
const withMetadata = (metadata: string, name = ''): string =>
  `${name}apiVersion: dms-operator.dev/v1alpha1\nkind: Deployment\n${metadata}spec: {source: external_container}\n`;

const PAUSE = { value: 'true' };
const RESUME = { value: null };

/** Returns the lines that only one of the two texts contains. */
function changedLines(before: string, after: string): { gone: readonly string[]; come: readonly string[] } {
  const lines = (text: string): readonly string[] => text.split(/(?<=\n)/);
  const [old, now] = [lines(before), lines(after)];
  return { gone: old.filter((line) => !now.includes(line)), come: now.filter((line) => !old.includes(line)) };
}

describe('an annotation that is set', () => {
  it.each([
    {
      name: 'without annotations: below what stands in metadata',
      metadata: 'metadata: # ours\n  name: a # first\n  labels:\n    tier: gold\n\n# the rest\n',
      come: ['  annotations:\n', `    ${PAUSED}: "true"\n`],
    },
    {
      name: 'beside others: below them, with their indentation',
      metadata:
        'metadata:\n    annotations:\n        team: x   # who\n        note: |\n          two\n\n          lines\n    name: a\n',
      come: [`        ${PAUSED}: "true"\n`],
    },
    {
      name: 'in its place, where it has another text',
      metadata: `metadata:\n  name: a\n  annotations:\n    ${PAUSED}: 'false'  # for now\n    team: x\n`,
      gone: [`    ${PAUSED}: 'false'  # for now\n`],
      come: [`    ${PAUSED}: "true"  # for now\n`],
    },
    {
      name: 'in the braces of metadata',
      metadata: 'metadata: {name: a, labels: {x: one}} # short\n',
      gone: ['metadata: {name: a, labels: {x: one}} # short\n'],
      come: [`metadata: {name: a, labels: {x: one}, annotations: {${PAUSED}: "true"}} # short\n`],
    },
    {
      name: 'in braces of its own',
      metadata: 'metadata:\n  name: a\n  annotations: { team: x, }\n',
      gone: ['  annotations: { team: x, }\n'],
      come: [`  annotations: { team: x, ${PAUSED}: "true", }\n`],
    },
    {
      name: 'in empty braces',
      metadata: 'metadata:\n  name: a\n  annotations: {}\n',
      gone: ['  annotations: {}\n'],
      come: [`  annotations: {${PAUSED}: "true"}\n`],
    },
    {
      name: 'beside what a merge brings',
      metadata: 'metadata:\n  name: a\n  labels: &l {x: one}\n  annotations:\n    <<: *l\n',
      come: [`    ${PAUSED}: "true"\n`],
    },
    {
      name: 'in place of a block',
      metadata: `metadata:\n  name: a\n  annotations:\n    ${PAUSED}: >-\n      no\n    team: x\n`,
      gone: [`    ${PAUSED}: >-\n`, '      no\n'],
      come: [`    ${PAUSED}: "true"\n`],
    },
  ])('is placed $name', ({ metadata, gone = [], come }) => {
    for (const crlf of [false, true]) {
      const asFile = (text: string): string => (crlf ? text.replaceAll('\n', '\r\n') : text);
      const before = asFile(withMetadata(metadata, '# a header\n'));
      const { text, results } = edit(before, PAUSE);
      expect(results).toEqual([{ kind: 'edited', line: expect.any(Number) as number }]);
      expect(changedLines(before, text)).toEqual({ gone: gone.map(asFile), come: come.map(asFile) });
      const { text: resumed } = edit(text, RESUME);
      expect(resumed).not.toContain(PAUSED);
    }
  });

  it('reports its line number', () => {
    const before = withMetadata('metadata:\n  name: a\n');
    const { text, results } = edit(`# one\n---\n${before}`, PAUSE);
    expect(results).toEqual([{ kind: 'edited', line: 8 }]);
    expect(text.split('\n')[7]).toContain(PAUSED);
  });

  it.each(['', '\uFEFF'])(
    'leaves the other documents of a file unchanged, with or without a mark at the start',
    (mark) => {
      const part = (name: string): string =>
        withMetadata(`metadata:\n  name: ${name}\n`, `# about ${name}\n`);
      const other = 'apiVersion: v1\nkind: Service   # not ours\nmetadata: {name: x}\n';
      const before = `${mark}${part('a')}--- # next\n${other}---\n${part('b')}`;
      const { text, results } = edit(before, { of: 'b', ...PAUSE }, PAUSE);
      expect(results.map(({ kind }) => kind)).toEqual(['edited', 'edited']);
      expect(text.startsWith(`${mark}# about a\n`)).toBe(true);
      expect(text).toContain(`--- # next\n${other}---\n# about b\n`);
      expect(edit(text, RESUME, { of: 'b', ...RESUME }).text).toBe(before);
    },
  );

  it('keeps a file without a final newline without one', () => {
    const before = `apiVersion: dms-operator.dev/v1alpha1\nkind: Deployment\nspec: {source: external_container}\nmetadata:\n  name: a`;
    const { text } = edit(before, PAUSE);
    expect(text).toBe(`${before}\n  annotations:\n    ${PAUSED}: "true"`);
  });

  it('is in an item of a List', () => {
    const item = (name: string): string =>
      `- apiVersion: dms-operator.dev/v1alpha1\n  kind: Deployment\n  metadata:\n    name: ${name}\n  spec: {source: external_container} # ${name}\n`;
    const before = `apiVersion: v1\nkind: List\nitems:\n${item('a')}${item('b')}`;
    const { text } = edit(before, { of: 'b', ...PAUSE });
    expect(text).toBe(
      before.replace('    name: b\n', `    name: b\n    annotations:\n      ${PAUSED}: "true"\n`),
    );
    expect(edit(text, { of: 'b', ...RESUME }).text).toBe(before);
  });

  it.each([undefined, 2, '\t'])('keeps JSON, on one line or several', (indent) => {
    const object = {
      ...{ apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Deployment' },
      metadata: { name: 'a' },
      spec: { source: 'external_container' },
    };
    const before = JSON.stringify(object, undefined, indent);
    const { text } = edit(before, PAUSE);
    expect(JSON.parse(text)).toEqual({
      ...object,
      metadata: { name: 'a', annotations: { [PAUSED]: 'true' } },
    });
    expect(JSON.parse(edit(text, RESUME).text)).toEqual({
      ...object,
      metadata: { name: 'a', annotations: {} },
    });
    const empty = JSON.stringify({ ...object, metadata: { name: 'a', annotations: {} } }, undefined, indent);
    expect(JSON.parse(edit(empty, PAUSE).text)).toEqual(JSON.parse(text));
  });
});

describe('an annotation that is removed', () => {
  it.each([
    {
      name: 'with the map that would be empty',
      metadata: `metadata:\n  name: a\n  annotations:\n    ${PAUSED}: "true" # incident\n`,
      left: 'metadata:\n  name: a\n',
    },
    {
      name: 'and leaves comments that stand beside it',
      metadata: `metadata:\n  name: a\n  annotations:\n    # see the wiki\n    ${PAUSED}: "true"\n`,
      left: 'metadata:\n  name: a\n  annotations: {}\n    # see the wiki\n',
    },
    {
      name: 'and leaves the others',
      metadata: `metadata:\n  name: a\n  annotations: {team: x, ${PAUSED}: "true", other: z}\n`,
      left: 'metadata:\n  name: a\n  annotations: {team: x, other: z}\n',
    },
    {
      name: 'from the end of braces',
      metadata: `metadata:\n  name: a\n  annotations: {team: x, ${PAUSED}: "true"}\n`,
      left: 'metadata:\n  name: a\n  annotations: {team: x}\n',
    },
  ])('disappears $name', ({ metadata, left }) => {
    expect(edit(withMetadata(metadata), RESUME).text).toBe(withMetadata(left));
  });
});

describe('an edit is refused', () => {
  it.each([
    {
      name: 'where annotations are an alias',
      metadata: 'metadata:\n  name: a\n  labels: &l {x: one}\n  annotations: *l\n',
      change: PAUSE,
      why: 'metadata.annotations is an alias, and what it stands for is used elsewhere too',
    },
    {
      name: 'where an anchor shares them with something else',
      metadata: 'metadata:\n  name: a\n  annotations: &l\n    x: one\n  labels: *l\n',
      change: PAUSE,
      why: 'an edit here would change something else too',
    },
    {
      name: 'where a merge brings the annotation',
      metadata: `metadata:\n  name: a\n  labels: &l {${PAUSED}: "true"}\n  annotations: {<<: *l}\n`,
      change: RESUME,
      why: 'the annotation comes from an anchor, which others may use too',
    },
    {
      name: 'where a comment stands beside it in braces',
      metadata: `metadata:\n  name: a\n  annotations: {x: one, # why\n    ${PAUSED}: "true"}\n`,
      change: RESUME,
      why: 'a comment stands beside the annotation, in a map between { and }',
    },
  ])('$name, and the text is unchanged', ({ metadata, change, why }) => {
    const before = withMetadata(metadata);
    expect(edit(before, change)).toEqual({ text: before, results: [{ kind: 'refused', why }] });
  });

  it('if the manifest has changed meanwhile, and the other edits are still made', () => {
    const part = (name: string): string => withMetadata(`metadata:\n  name: ${name}\n`);
    const before = `${part('a')}---\n${part('b')}`;
    const edits = readYaml(before)
      .documents.flatMap((document) => readManifest(document).declared)
      .map(({ key, object }) => ({ key, object, change: { name: PAUSED, value: 'true' } }));
    const now = `${part('a').replace('name: a', 'name: a\n  labels: {tier: gold}')}---\n${part('b')}`;
    const { text, results } = editAnnotations(now, edits);
    expect(results).toEqual([
      { kind: 'refused', why: 'the manifest has changed meanwhile; try again' },
      { kind: 'edited', line: 13 },
    ]);
    expect(text.startsWith(`${part('a').replace('name: a', 'name: a\n  labels: {tier: gold}')}---\n`)).toBe(
      true,
    );
  });
});
