import type { Huge } from './target.ts';

const DEEP = 100_000;
const LONG = 200_000;
const MANY = 12_000;

const huge = (name: string, text: () => string): Huge => ({ name, text });
const times = (count: number, text: string): string => text.repeat(count);
const numbered = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join('');

/** JSON that is deep, long or wide. */
export const HUGE_JSON: readonly Huge[] = [
  huge('lists in lists', () => times(DEEP, '[') + times(DEEP, ']')),
  huge('objects in objects', () => `${times(MANY, '{"a":')}1${times(MANY, '}')}`),
  huge('lists that never close', () => times(MANY, '[')),
  huge('lists as deep as an API server takes', () => times(9_900, '[') + times(9_900, ']')),
  huge('a long text', () => `"${times(LONG, 'x')}"`),
  huge('a long text of escapes', () => `"${times(LONG / 10, '\\u0000\\ud800')}"`),
  huge('a long key', () => `{"${times(LONG, 'k')}":1}`),
  huge('many numbers', () => `[${times(MANY, '0,')}0]`),
  huge('many empty objects', () => `[${times(MANY, '{},')}{}]`),
  huge('many lists of one', () => `[${times(MANY, '[0],')}0]`),
  huge('many keys', () => `{${numbered(MANY, (at) => `"key-${at}":${at},`)}"a":0}`),
  huge('one key many times', () => `{${times(MANY, '"a":{"b":1},')}"a":0}`),
  huge('a number of many digits', () => times(MANY, '9')),
  huge('a fraction of many digits', () => `0.${times(MANY, '1')}e-5`),
  huge('long keys around long lists', () => `{"${times(20_000, 'k')}":[${times(20_000, 'y,')}y]}`),
];

/** YAML that is deep, long, wide, or means more than it says. */
export const HUGE_YAML: readonly Huge[] = [
  huge('lists in lists, in lines', () => times(20_000, '- ')),
  huge('maps in maps, in lines', () => numbered(800, (at) => `${' '.repeat(at)}a:\n`)),
  huge('keys that are questions', () => times(5_000, '? ')),
  huge('anchors without a value', () => times(5_000, '&a ')),
  huge('tags without a value', () => times(5_000, '!!str ')),
  huge('aliases that double', () =>
    numbered(40, (at) => `a${at}: &a${at} [${at === 0 ? '1' : `*a${at - 1}, *a${at - 1}`}]\n`),
  ),
  huge('aliases of one list', () => `a: &a [${times(1000, '1, ')}1]\nb: [${times(5_000, '*a, ')}*a]\n`),
  huge('merges that double', () =>
    numbered(
      40,
      (at) => `a${at}: &a${at}\n  k${at}: 1\n${at === 0 ? '' : `  <<: [*a${at - 1}, *a${at - 1}]\n`}`,
    ),
  ),
  huge('many anchors and aliases', () => numbered(3_000, (at) => `- &a${at} ${at}\n- *a${at}\n`)),
  huge('words that tools read differently', () => times(10_000, '- y\n')),
  huge(
    'words that tools read differently, under a long key',
    () => `${times(1_000, 'k')}:\n${times(10_000, '- y\n')}`,
  ),
  huge('the same key many times', () => times(20_000, 'a: 1\n')),
  huge('many documents', () => times(20_000, '---\na: 1\n')),
  huge('many empty documents', () => times(200_000, '---\n')),
  huge('many lines of nothing', () => times(LONG, '\n')),
  huge('many comments', () => times(50_000, '# a\r\n')),
  huge('many directives', () => times(20_000, '%YAML 1.2\n')),
  huge('many tabs', () => times(LONG, '\t')),
  huge('many quotes', () => times(20_000, '"')),
  huge('many errors', () => times(20_000, 'a: b: c\n')),
  huge('many digits between underscores', () => `a: ${times(LONG / 10, '1_')}0e9`),
  huge('many ones and zeros', () => `a: 0b${times(LONG / 10, '10')}`),
];
