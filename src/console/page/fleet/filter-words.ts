/** Returns a filter without the words that have the same prefix as `word`, up to its colon. */
export function withWord(filter: string, word: string): string {
  const [kind] = word.split(':');
  const others = wordsOf(filter).filter((other) => !other.startsWith(`${kind}:`));
  return hasWord(filter, word) ? others.join(' ') : [...others, word].join(' ');
}

/** Returns whether a filter contains exactly this word. */
export function hasWord(filter: string, word: string): boolean {
  return wordsOf(filter).includes(word);
}

const wordsOf = (filter: string): readonly string[] => filter.split(/\s+/u).filter((word) => word !== '');
