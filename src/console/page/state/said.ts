import { signal } from '@preact/signals';

/** A sentence about the last action, for a few seconds. */
export const said = signal<string | undefined>(undefined);

const SHOWN_MS = 8000;
let timer = 0;

/** Says at the edge of the page what was done. */
export function say(text: string): void {
  said.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => (said.value = undefined), SHOWN_MS);
}
