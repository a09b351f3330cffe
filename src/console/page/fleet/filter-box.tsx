import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { go } from '../state/route.ts';

const PAUSE_MS = 30;

/** The box for words that narrow the fleet down. It writes into the address, after a short pause. */
export function FilterBox({
  filter,
  error,
}: {
  readonly filter: string;
  readonly error: string | undefined;
}): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  const apply = useAddress();
  useEffect(() => {
    // A link changed the filter; while someone types, the box is ahead of the address.
    if (box.current !== null && document.activeElement !== box.current) box.current.value = filter;
  }, [filter]);
  return (
    <search>
      <label for="filter">Filter</label>
      <input
        ref={box}
        id="filter"
        type="search"
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

/** Writes a filter into the address after a pause, unless the box is gone by then. */
function useAddress(): (text: string, pauseMs: number) => void {
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (text, pauseMs) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => go('fleet', { filter: text.trim() }, { replace: true }), pauseMs);
  };
}
