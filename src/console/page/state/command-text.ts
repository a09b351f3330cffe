import { overview } from './shown.ts';

/** Returns a command line of the program for a shell, with the flags for the place that the page shows. */
export function commandText(words: string): string {
  const flags = (overview.value?.flags ?? []).map(quoted);
  return ['dms-operator', words, ...flags].join(' ');
}

const quoted = (word: string): string =>
  /^[\w./:@%+=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
