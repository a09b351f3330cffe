import type { CommandRun } from './terminal.ts';

/** What differs from run to run, and its replacement of the same width, so that tables keep their form. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'],
  [/\b[0-9a-f]{8}-[0-9a-f]{3}…/g, 'xxxxxxxx-xxx…'],
  [/\b[0-9a-f]{20}\b/g, 'xxxxxxxxxxxxxxxxxxxx'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'YYYY-MM-DDThh:mm:ssZ'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'YYYY-MM-DDThh:mm:ss.sssZ'],
  [/\[\d\d:\d\d:\d\d\.\d{3}\]/g, '[hh:mm:ss.sss]'],
  [/ \d{3,}d\b/g, ' <age>'],
  [/(127\.0\.0\.1:)\d+/g, '$1<port>'],
  [/("port":)\d+/g, '$1<port>'],
];

/**
 * Returns what a person would see in a terminal: the typed line, the output and the exit code. `names` maps folders and
 * namespaces of the test to their names in the recording.
 */
export function recording(
  words: readonly string[],
  { out, err, code }: CommandRun,
  names: Readonly<Record<string, string>> = {},
): string {
  const text = `$ dms-operator ${words.join(' ')}\n${err}${out}$ echo $?\n${code}\n`;
  const named = Object.entries(names).reduce((told, [name, shown]) => told.replaceAll(name, shown), text);
  return VOLATILE.reduce((told, [pattern, mask]) => told.replaceAll(pattern, mask), named);
}
