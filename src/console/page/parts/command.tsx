import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

const DONE_MS = 1500;

/** Shows a command that a person can type or copy. */
export function Command({ text }: { readonly text: string }): JSX.Element {
  const copied = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    copied.value = true;
    setTimeout(() => (copied.value = false), DONE_MS);
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="link" aria-label={`Copy ${text}`} onClick={() => void copy()}>
        {copied.value ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}
