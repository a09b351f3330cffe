/** The words of a filter, without those that begin like `word` where it has a colon. */
export function withWord(filter: string, word: string): string {
  const [kind] = word.split(':');
  const others = wordsOf(filter).filter((other) => !other.startsWith(`${kind}:`));
  return hasWord(filter, word) ? others.join(' ') : [...others, word].join(' ');
}

/** Whether a filter has exactly this word. */
export function hasWord(filter: string, word: string): boolean {
  return wordsOf(filter).includes(word);
}

const wordsOf = (filter: string): readonly string[] => filter.split(/\s+/u).filter((word) => word !== '');
