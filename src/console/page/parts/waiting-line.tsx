import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { nowMs } from '../state/clock.ts';

const SOON_MS = 250;

/** Says that the page waits for an answer, and for how long. Shows nothing if the answer comes at once. */
export function WaitingLine({ text }: { readonly text: string }): JSX.Element | null {
  const sinceMs = useSignal(Date.now());
  const late = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (late.value = true), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!late.value) return null;
  const seconds = Math.max(0, Math.floor((nowMs.value - sinceMs.value) / 1000));
  return (
    <div class="waiting" role="status">
      <progress aria-label={text} />
      <span>
        {text}
        {seconds >= 2 && ` ${seconds} s so far`}
      </span>
    </div>
  );
}
