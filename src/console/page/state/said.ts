import { signal } from '@preact/signals';

/** A sentence about the last action, which the page shows for a few seconds. */
export const said = signal<string | undefined>(undefined);

const SHOWN_MS = 8000;
let timer = 0;

/** Shows a message at the edge of the page. */
export function say(text: string): void {
  said.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => (said.value = undefined), SHOWN_MS);
}
