import { overview } from './shown.ts';

/** A command of the program as a shell takes it, with the flags that lead to where the page looks. */
export function commandText(words: string): string {
  const flags = (overview.value?.flags ?? []).map(quoted);
  return ['dms-operator', words, ...flags].join(' ');
}

const quoted = (word: string): string =>
  /^[\w./:@%+=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
