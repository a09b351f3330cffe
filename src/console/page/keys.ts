import { signal } from '@preact/signals';
import { go } from './state/route.ts';
import { SCREENS } from './screens/all-screens.tsx';

/** True while the page shows the list of keys. */
export const helpShown = signal(false);

/** A key, and its effect. */
export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

/** All keys, for the dialog that shows them. */
export const KEYS: readonly KeyHelp[] = [
  { keys: '/', does: 'type into the filter' },
  { keys: 'j  k', does: 'to the next and the previous row' },
  { keys: 'Enter', does: 'open the row' },
  ...SCREENS.flatMap(({ key, title }) =>
    key === undefined ? [] : [{ keys: `g ${key}`, does: `go to ${title}` }],
  ),
  { keys: 'Esc', does: 'leave the filter, close a dialog' },
  { keys: '?', does: 'show these keys' },
];

/** After `g`, the page waits this long for the next key. */
const NEXT_KEY_MS = 1500;

let goSinceMs = -Infinity;

/** Handles the keyboard shortcuts of the whole page. */
export function followKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null)
      return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    if (act(event.key, event.timeStamp)) event.preventDefault();
  });
}

function act(key: string, atMs: number): boolean {
  const wanted = atMs - goSinceMs < NEXT_KEY_MS ? SCREENS.find((screen) => screen.key === key) : undefined;
  goSinceMs = key === 'g' ? atMs : -Infinity;
  if (wanted !== undefined) {
    go(wanted.name);
    return true;
  }
  switch (key) {
    case '/':
      return toFilter();
    case 'j':
      return toRow(1);
    case 'k':
      return toRow(-1);
    case '?':
      helpShown.value = true;
      return true;
    default:
      return false;
  }
}

function toFilter(): boolean {
  const box = document.querySelector<HTMLInputElement>('#filter');
  if (box === null) go('fleet');
  else box.select();
  return true;
}

function toRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next =
    at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  rows[next]?.focus();
  return true;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement;
