import type { Huge } from '../target.ts';

const DEEP = 100_000;
const LONG = 200_000;
const MANY = 12_000;

/** Returns the requested share of a number. */
type Of = (whole: number) => number;

function huge(name: string, text: (of: Of) => string): Huge {
  return { name, text: (share) => text((whole) => Math.ceil(whole * share)) };
}

const times = (count: number, text: string): string => text.repeat(count);
const numbered = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join('');

/** JSON that is deep, long or wide. */
export const HUGE_JSON: readonly Huge[] = [
  huge('lists in lists', (of) => times(of(DEEP), '[') + times(of(DEEP), ']')),
  huge('objects in objects', (of) => `${times(of(MANY), '{"a":')}1${times(of(MANY), '}')}`),
  huge('lists that never close', (of) => times(of(MANY), '[')),
  huge('lists as deep as an API server takes', (of) => times(of(9_900), '[') + times(of(9_900), ']')),
  huge('a long text', (of) => `"${times(of(LONG), 'x')}"`),
  huge('a long text of escapes', (of) => `"${times(of(LONG / 10), '\\u0000\\ud800')}"`),
  huge('a long key', (of) => `{"${times(of(LONG), 'k')}":1}`),
  huge('many numbers', (of) => `[${times(of(MANY), '0,')}0]`),
  huge('many empty objects', (of) => `[${times(of(MANY), '{},')}{}]`),
  huge('many lists of one', (of) => `[${times(of(MANY), '[0],')}0]`),
  huge('many keys', (of) => `{${numbered(of(MANY), (at) => `"key-${at}":${at},`)}"a":0}`),
  huge('one key many times', (of) => `{${times(of(MANY), '"a":{"b":1},')}"a":0}`),
  huge('a number of many digits', (of) => times(of(MANY), '9')),
  huge('a fraction of many digits', (of) => `0.${times(of(MANY), '1')}e-5`),
  huge('long keys around long lists', (of) => `{"${times(of(20_000), 'k')}":[${times(of(20_000), 'y,')}y]}`),
];

/** Readable YAML that is wide, or expands to more than its text. */
const HUGE_MEANING: readonly Huge[] = [
  huge('tags without a value', (of) => times(of(5_000), '!!str ')),
  huge('aliases that double', (of) =>
    numbered(of(40), (at) => `a${at}: &a${at} [${at === 0 ? '1' : `*a${at - 1}, *a${at - 1}`}]\n`),
  ),
  huge(
    'aliases of one list',
    (of) => `a: &a [${times(of(1000), '1, ')}1]\nb: [${times(of(5_000), '*a, ')}*a]\n`,
  ),
  huge('merges that double', (of) =>
    numbered(
      of(40),
      (at) => `a${at}: &a${at}\n  k${at}: 1\n${at === 0 ? '' : `  <<: [*a${at - 1}, *a${at - 1}]\n`}`,
    ),
  ),
  huge('many anchors and aliases', (of) => numbered(of(3_000), (at) => `- &a${at} ${at}\n- *a${at}\n`)),
  huge('words that tools read differently', (of) => times(of(10_000), '- y\n')),
  huge(
    'words that tools read differently, under a long key',
    (of) => `${times(of(1_000), 'k')}:\n${times(of(10_000), '- y\n')}`,
  ),
  huge('the same key many times', (of) => times(of(20_000), 'a: 1\n')),
  huge('many documents', (of) => times(of(20_000), '---\na: 1\n')),
];

const OURS = 'apiVersion: dms-operator.dev/v1alpha1, kind: ';

/** Documents of valid YAML with many mistakes in many places. */
export const HUGE_MANIFESTS: readonly Huge[] = [
  ...HUGE_MEANING,
  huge(
    'a list of what is no manifest, among many keys',
    (of) =>
      `apiVersion: v1\nkind: List\n${numbered(of(8_000), (at) => `k${at}: 1\n`)}items:\n${times(of(8_000), '- 1\n')}`,
  ),
  huge(
    'a list of one wrong manifest again and again',
    (of) =>
      // Names have 60 characters, so that most of the text is repeated and twice the manifests are twice the bytes.
      `apiVersion: v1\nkind: List\nx: &${times(60, 'x')} {${OURS}Deployment, metadata: {name: a}, spec: {source: codehost, secrets: [${times(50, '1, ')}]}}\nitems:\n${times(of(800), `- *${times(60, 'x')}\n`)}`,
  ),
  huge('deployments that name no connection of many', (of) =>
    numbered(
      of(2_000),
      (at) =>
        `---\n{${OURS}Deployment, metadata: {name: a${at}}, spec: {source: codehost, connectionRef: {name: ${times(90, 'c')}${at}}}}\n---\n{${OURS}Connection, metadata: {name: ${times(90, 'd')}${at}}, spec: {baseURL: "https://a.example"}}\n`,
    ),
  ),
];

/** YAML that is deep, long or wide, and text that is not YAML. */
export const HUGE_YAML: readonly Huge[] = [
  ...HUGE_MEANING,
  huge('lists in lists, in lines', (of) => times(of(20_000), '- ')),
  huge('maps in maps, in lines', (of) => numbered(of(800), (at) => `${' '.repeat(at)}a:\n`)),
  huge('keys that are questions', (of) => times(of(5_000), '? ')),
  huge('anchors without a value', (of) => times(of(5_000), '&a ')),
  huge('many empty documents', (of) => times(of(200_000), '---\n')),
  huge('many lines of nothing', (of) => times(of(LONG), '\n')),
  huge('many comments', (of) => times(of(50_000), '# a\r\n')),
  huge('many directives', (of) => times(of(20_000), '%YAML 1.2\n')),
  huge('many tabs', (of) => times(of(LONG), '\t')),
  huge('many quotes', (of) => times(of(20_000), '"')),
  huge('many errors', (of) => times(of(20_000), 'a: b: c\n')),
  huge('many digits between underscores', (of) => `a: ${times(of(LONG / 10), '1_')}0e9`),
  huge('many ones and zeros', (of) => `a: 0b${times(of(LONG / 10), '10')}`),
];
