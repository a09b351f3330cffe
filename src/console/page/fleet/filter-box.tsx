import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { go } from '../state/route.ts';

const PAUSE_MS = 30;

/** The longest filter that the console accepts, in characters. */
const MOST_LETTERS = 1024;

/** Shows the filter box. It writes the filter into the address after a short pause. */
export function FilterBox({
  filter,
  error,
}: {
  readonly filter: string;
  readonly error: string | undefined;
}): JSX.Element {
  const { box, apply } = useFilterOf(filter);
  return (
    <search>
      <label for="filter">Filter</label>
      <input
        ref={box}
        id="filter"
        type="search"
        maxLength={MOST_LETTERS}
        defaultValue={filter}
        placeholder="name, reason:X, connection:X, label=value"
        autocomplete="off"
        spellcheck={false}
        aria-describedby={error === undefined ? undefined : 'filter-error'}
        aria-invalid={error !== undefined}
        onInput={(event) => apply(event.currentTarget.value, PAUSE_MS)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply(event.currentTarget.value, 0);
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      {error !== undefined && (
        <p id="filter-error" class="error" role="status">
          {error}
        </p>
      )}
    </search>
  );
}

/** Connects a box with the filter in the address. The box writes after a pause, unless it was removed meanwhile. */
function useFilterOf(filter: string) {
  const box = useRef<HTMLInputElement>(null);
  const written = useRef(filter);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => {
    // While a person types, the box is ahead of the address. Any other filter comes from a link or the back button.
    if (box.current === null || filter === written.current) return;
    box.current.value = filter;
    written.current = filter;
  }, [filter]);
  const apply = (text: string, pauseMs: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      written.current = text.trim();
      go('fleet', { filter: written.current }, { replace: true });
    }, pauseMs);
  };
  return { box, apply };
}
