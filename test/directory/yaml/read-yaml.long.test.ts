import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readYaml, visitYaml } from '../../../src/directory/yaml/read-yaml.ts';

/** Returns the values and problems of a text in a form that fits a table. */
function read(text: string): { values: unknown[]; problems: string[]; warnings: string[] } {
  const { documents, findings } = readYaml(text);
  const lineOf = (problem: (typeof findings)[number]): string =>
    `${problem.line}:${problem.column}: ${problem.path}: ${problem.message}`;
  return {
    values: documents.map(({ value }) => value),
    problems: findings.map(lineOf),
    warnings: documents.flatMap(({ warnings }) => warnings.map(lineOf)),
  };
}

describe('documents of a YAML text', () => {
  it.each([
    { name: 'one', text: 'a: 1\n', values: [{ a: 1 }] },
    { name: 'two', text: 'a: 1\n---\nb: 2\n', values: [{ a: 1 }, { b: 2 }] },
    { name: 'none', text: '', values: [] },
    { name: 'an empty one at the end', text: 'a: 1\n---\n', values: [{ a: 1 }] },
    { name: 'an empty one at the start', text: '---\n---\na: 1\n', values: [{ a: 1 }] },
    { name: 'comments before the first', text: '# about\n\n---\na: 1\n', values: [{ a: 1 }] },
    { name: 'a marker inside a block of text', text: 'a: |\n  ---\n  b\n', values: [{ a: '---\nb\n' }] },
    {
      name: 'JSON',
      text: '{\n\t"a": [1, 2.5, null, true, "x\\u00e9"]\n}',
      values: [{ a: [1, 2.5, null, true, 'xé'] }],
    },
    {
      name: 'a byte order mark, also in the middle',
      text: '\uFEFFa: 1\n---\n\uFEFFb: 2\n',
      values: [{ a: 1 }, { b: 2 }],
    },
    { name: 'Windows line ends', text: 'a: 1\r\n---\r\nb: x\r\n', values: [{ a: 1 }, { b: 'x' }] },
    {
      name: 'anchors and merges',
      text: 'x: &x {a: 1}\nz: {<<: *x, b: *x}\n',
      values: [{ x: { a: 1 }, z: { a: 1, b: { a: 1 } } }],
    },
    { name: 'keys that look like numbers', text: '1: a\ntrue: b\n', values: [{ 1: 'a', true: 'b' }] },
    { name: 'large but exact integers', text: 'a: 9007199254740991\n', values: [{ a: 9007199254740991 }] },
    { name: 'times, which stay texts', text: 'a: 2026-11-20\n', values: [{ a: '2026-11-20' }] },
  ])('are read: $name', ({ text, values }) => {
    expect(read(text)).toEqual({ values, problems: [], warnings: [] });
  });

  it.each([
    { name: 'an unclosed bracket', text: 'a: [1\n', at: '2:1', what: 'not closed' },
    { name: 'an unclosed quote', text: 'a: "x\n', at: '2:1', what: 'quote' },
    { name: 'a tab as indentation', text: 'a:\n\tb: 1\n', at: '2:1', what: 'tab' },
    { name: 'a key twice', text: 'a: 1\na: 2\n', at: '2:1', what: 'twice' },
    { name: 'two keys on a line', text: 'a: b: c\n', at: '1:4', what: 'second "key:"' },
    { name: 'a missing colon', text: 'a\nb: 1\n', at: '1:1', what: 'colon' },
    { name: 'a list as a key', text: '? [a]\n: 1\n', at: '1:3', what: 'key' },
    {
      name: 'an integer that would lose digits',
      text: 'a:\n- 9007199254740993\n',
      at: '2:3',
      what: 'a[0]: has more digits',
    },
    { name: 'a number that is none', text: 'a: .nan\n', at: '1:4', what: 'JSON' },
    { name: 'a tag', text: 'a: !vault x\n', at: '1:11', what: 'tag' },
    { name: 'an alias without an anchor', text: 'a: *b\n', at: '1:4', what: 'anchor' },
    { name: 'an alias that contains itself', text: 'a: &a [*a]\n', at: '1:8', what: 'itself' },
    { name: 'a key that changes prototypes', text: 'x: {__proto__: {a: 1}}\n', at: '1:5', what: '__proto__' },
    { name: 'deep nesting', text: `a: ${'['.repeat(200)}${']'.repeat(200)}\n`, at: '1:68', what: 'nested' },
    { name: 'nesting that exhausts the parser', text: `${'['.repeat(20_000)}\n`, at: '1:', what: 'nested' },
    {
      name: 'aliases that expand without end',
      text: 'a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n',
      at: '1:1',
      what: 'aliases',
    },
  ])('with $name are refused, and the next document is read', ({ text, at, what }) => {
    const { values, problems } = read(`${text}---\nnext: 1\n`);
    expect(values).toEqual([{ next: 1 }]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(what);
    expect(problems[0]?.startsWith(at)).toBe(true);
  });

  it.each([
    {
      name: 'a document larger than an API server stores',
      text: `a: 1\n---\nb: "${'x'.repeat(1_600_000)}"\n`,
      problem: '2:1: : this document is too large',
      values: [{ a: 1 }],
    },
    {
      name: 'more aliases than anybody writes',
      text: `a:\n${Array.from({ length: 20_000 }, (_, n) => `- &a${n} x\n- *a${n}\n`).join('')}`,
      problem: '2003:3: a[2001]: is one alias too many',
      values: [],
    },
    {
      name: 'many keys, of which one stands twice',
      text: `${Array.from({ length: 50_000 }, (_, n) => `k${n}: 1\n`).join('')}k7: 1\n`,
      problem: '50001:1: : this key stands twice in one map',
      values: [],
    },
  ])('are not worked on for minutes: $name', ({ text, problem, values }) => {
    const found = read(text);
    expect(found.problems).toEqual([expect.stringContaining(problem)]);
    expect(found.values).toEqual(values);
  });

  it('have 500,000 tokens at most, and the others of the file are read', () => {
    const { documents, findings } = readYaml(`a: 1\n---\nb: [${'{},'.repeat(300_000)}]\n---\nc: 1\n`);
    expect(findings).toMatchObject([{ line: 2, message: 'this document has too many parts' }]);
    expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, { c: 1 }]);
  });

  it('reads 10,000 of them, and says where it stopped', () => {
    const { documents, findings } = readYaml('--- {a: b}\n'.repeat(10_001));
    expect(documents).toHaveLength(10_000);
    expect(findings).toMatchObject([
      {
        line: 10_001,
        message: 'this file has more than 10,000 documents; this one and the rest are not read',
      },
    ]);
    expect(readYaml('--- {a: b}\n'.repeat(10_000)).findings).toEqual([]);
  });

  it('of which many are empty or broken are no longer read either', () => {
    for (const each of ['---\n', '--- a: b\n']) {
      const { findings, tokens } = visitYaml(each.repeat(200_000), () => undefined);
      expect(findings.at(-1)).toMatchObject({ line: 10_001, message: expect.stringContaining('10,000') });
      expect(tokens).toBeLessThanOrEqual(100_000);
    }
  });

  it.each([
    ['twelve large lists', '---\n', `b: [${'{},'.repeat(50_000)}]\n`, 12],
    ['lists that are each too large', '---\n', `b: [${'{},'.repeat(200_000)}]\n`, 12],
    ['many keys', '---\n', 'k: 1\n'.repeat(100_000), 6],
    ['keys that are questions', '---\n', '? \n'.repeat(100_000), 6],
    ['items without a value', '---\n', '- \n'.repeat(110_000), 16],
    ['aliases', '---\n', `x: &x [${'1, '.repeat(1_000)}]\ny: [${'*x, '.repeat(90)}]\n`, 60],
  ])('end after 800,000 tokens of a file: %s', (_, marker, document, count) => {
    const { findings, tokens } = visitYaml(`${marker}${document}`.repeat(count), () => undefined);
    // All tokens of an alias are added to the count at once.
    expect(tokens).toBeLessThanOrEqual(900_000);
    expect(findings.at(-1)?.message).toBe(
      'this file has too many parts; this document and the rest are not read',
    );
  });

  it('are all read if a file holds two thousand manifests', () => {
    const manifest = readFileSync('manifests/examples/gitops.yaml', 'utf8');
    const text = Array.from({ length: 2_000 }, () => `---\n${manifest}`).join('');
    let read = 0;
    const { findings, tokens } = visitYaml(text, () => (read += 1));
    expect({ read, findings }).toEqual({ read: 2_000, findings: [] });
    expect(tokens).toBeGreaterThan(300_000);
  });

  it('have what their aliases stand for counted, however little is written', () => {
    const lists = (many: number): string =>
      `x: &x [${'1, '.repeat(1_000)}]\ny: [${'*x, '.repeat(many)}]\n---\nz: 1\n`;
    expect(read(lists(90)).problems).toEqual([]);
    const { problems, values } = read(lists(600));
    expect(problems).toEqual([expect.stringMatching(/^1:1: .*the aliases of this document expand too far/)]);
    expect(values).toEqual([{ z: 1 }]);
  });

  it('report places in the whole text, not in the document', () => {
    expect(read('a: 1\n---\nb: 1\n---\n\nc:\n  - "x\n').problems).toEqual([
      expect.stringMatching(/^8:1: .*quote/),
    ]);
  });

  it.each([
    { text: 'a: yes', value: true, other: 'a boolean to kubectl, a text to tools of YAML 1.2' },
    { text: 'a: off', value: false, other: 'a boolean to kubectl, a text to tools of YAML 1.2' },
    { text: 'a: 010', value: 8, other: 'an octal number to kubectl, a decimal one to tools of YAML 1.2' },
    {
      text: 'a: -0777',
      value: -511,
      other: 'an octal number to kubectl, a decimal one to tools of YAML 1.2',
    },
    { text: 'a: 1_000', value: 1000, other: 'a number to kubectl, a text to tools of YAML 1.2' },
    { text: 'a: 1_000.5', value: 1000.5, other: 'a number to kubectl, a text to tools of YAML 1.2' },
    { text: 'a: 0b11', value: 3, other: 'a number to kubectl, a text to tools of YAML 1.2' },
    { text: 'a: -0x1F', value: -31, other: 'a number to kubectl, a text to tools of YAML 1.2' },
    { text: 'a: 12:30', value: '12:30', other: 'a text to kubectl, a number to tools of YAML 1.1' },
  ])('are read as Kubernetes reads them if tools differ, with a warning: $text', ({ text, value, other }) => {
    expect(read(text)).toMatchObject({
      values: [{ a: value }],
      warnings: [expect.stringContaining(`is ${other}`)],
    });
  });

  it.each([
    { text: 'on: 1', other: 'a boolean' },
    { text: '010: 1', other: 'a number' },
  ])('have texts as keys, with a warning if kubectl reads other types: $text', ({ text, other }) => {
    expect(read(`a: {${text}}`)).toMatchObject({
      values: [{ a: { [text.replace(': 1', '')]: 1 } }],
      warnings: [expect.stringContaining(`is a text here and ${other} to kubectl`)],
    });
  });

  it.each([
    ...['a: "yes"', "a: 'on'", 'a: !!str on', 'a: true', 'a: 10', 'a: 0', 'a: 08', 'a: 0.5', 'a: 1e3'],
    ...['a: 0x1F', 'a: yesterday', 'a: 2026-11-20', 'a: 1.2.3', 'a: |\n  yes\n', '{1: a, true: b, 0.5: c}'],
  ])('cause no warning if all tools read them alike: %s', (text) => {
    expect(read(text).warnings).toEqual([]);
  });

  it.each(['a: 1_0e999', 'a: -1_0e999', `a: 0b${'1'.repeat(1100)}`])(
    'are not read as a number if JSON cannot hold what Kubernetes reads: %s',
    (text) => {
      expect(read(text).problems).toEqual([
        expect.stringContaining('a: is not a number that JSON can carry'),
      ]);
    },
  );

  it('have a limited number of findings, of limited length', () => {
    const wrong = `${'y, '.repeat(20_000)}${'!x 1, '.repeat(2_000)}`;
    const { findings } = readYaml(`{"${'k'.repeat(20_000)}": [${wrong}]}`);
    expect(findings).toHaveLength(100);
    expect(Math.max(...findings.map(({ path }) => path.length))).toBe(1_000);
  });

  it('never quote what is in the text: it may be a secret', () => {
    const texts = [
      'k: "hunter2',
      'k: "a" hunter2',
      'k: hunter2: x',
      'k: *hunter2',
      'k: !hunter2 hunter2',
      'k: @hunter2',
    ];
    for (const text of [...texts, 'k: hunter2\nk: hunter2', '{"k": "hunter2"} {"k": 1}']) {
      const { problems } = read(text);
      expect(problems).not.toEqual([]);
      expect(problems.join()).not.toContain('hunter2');
    }
  });
});

describe('the places of paths', () => {
  const [document] = readYaml(
    'spec:\n  secrets:\n  - name: A\n  - name: B\n    "a.b/c": {d: 1}\n  one: &one {of: two}\n  other: *one\n',
  ).documents;
  it.each([
    ['spec.secrets[1].name', { line: 4, column: 5 }],
    ['spec.secrets[1]["a.b/c"].d', { line: 5, column: 15 }],
    ['spec.secrets[0]', { line: 3, column: 5 }],
    ['spec.secrets[1].value', { line: 4, column: 5 }],
    ['spec.other.of', { line: 6, column: 14 }],
    ['spec.secrets[7]', { line: 2, column: 3 }],
    ['spec.secrets["name"]', { line: 2, column: 3 }],
    ['spec["sec\\u0072ets"]', { line: 2, column: 3 }],
    ['spec["secrets', { line: 1, column: 1 }],
    ['spec.missing.deeper', { line: 1, column: 1 }],
    ['', { line: 1, column: 1 }],
  ])('%s', (path, place) => {
    expect(document?.locate(path)).toEqual(place);
  });
});
