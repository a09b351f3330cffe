import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { go } from '../state/route.ts';

const PAUSE_MS = 30;

/** The console takes no longer one. */
const MOST_LETTERS = 1024;

/** The box for words that narrow the fleet down. It writes into the address, after a short pause. */
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

/** A box that shows the filter of the address, and writes into it after a pause, unless it is gone by then. */
function useFilterOf(filter: string) {
  const box = useRef<HTMLInputElement>(null);
  const written = useRef(filter);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => {
    // While someone types, the box is ahead of the address; any other filter is that of a link, or of the way back.
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
