import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

const MOST = 600;

/** Shows a text from outside in its own writing direction, and cuts it if it is very long. */
export function LongText({
  text,
  most = MOST,
}: {
  readonly text: string;
  readonly most?: number;
}): JSX.Element {
  const whole = useSignal(false);
  if (text.length <= most || whole.value) {
    return (
      <span class="text" dir="auto">
        {text}
      </span>
    );
  }
  return (
    <>
      <span class="text" dir="auto">
        {text.slice(0, most)}…
      </span>{' '}
      <button type="button" class="link" onClick={() => (whole.value = true)}>
        Show all {text.length.toLocaleString('en')} characters
      </button>
    </>
  );
}
