import type { JSX } from 'preact';
import { hrefOf } from '../state/route.ts';
import { overview } from '../state/shown.ts';
import { hasWord, withWord } from './filter-words.ts';

const MOST = 8;

/** The namespaces as words of the filter; nothing where there is only one. */
export function NamespaceChips({ filter }: { readonly filter: string }): JSX.Element | null {
  const namespaces = overview.value?.namespaces ?? [];
  if (namespaces.length < 2) return null;
  const [first, more] = [namespaces.slice(0, MOST), namespaces.slice(MOST)];
  const chip = ({ name, count }: { readonly name: string; readonly count: number }): JSX.Element => {
    const word = `namespace:${name}`;
    return (
      <a
        key={name}
        class="chip"
        href={hrefOf('fleet', { filter: withWord(filter, word) })}
        aria-current={hasWord(filter, word) ? 'true' : undefined}
      >
        <bdi>{name}</bdi> <span class="muted">{count.toLocaleString('en')}</span>
      </a>
    );
  };
  return (
    <nav class="chips" aria-label="Namespaces">
      {first.map(chip)}
      {more.length > 0 && (
        <details>
          <summary class="chip">{more.length} more</summary>
          <div class="chips">{more.map(chip)}</div>
        </details>
      )}
    </nav>
  );
}
