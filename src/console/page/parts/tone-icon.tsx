import type { JSX } from 'preact';
import type { Tone } from '../../../views/screens/tone.ts';

/** The shape of each tone, so that nothing depends on colours. */
const SHAPES: Readonly<Record<Tone, JSX.Element>> = {
  good: <path d="M3 8.5l3.2 3.2L13 4.8" fill="none" stroke="currentColor" stroke-width="2.2" />,
  busy: (
    <>
      <circle cx="8" cy="8" r="5.4" fill="none" stroke="currentColor" stroke-width="2" />
      <path d="M8 2.6a5.4 5.4 0 0 1 0 10.8z" fill="currentColor" />
    </>
  ),
  waits: <path d="M8 1.2L14.8 8 8 14.8 1.2 8z" fill="currentColor" />,
  bad: (
    <>
      <path d="M8 1.5l7 13H1z" fill="currentColor" />
      <path d="M8 6.2v3.6M8 11.4v1.4" stroke="var(--paper)" stroke-width="1.6" />
    </>
  ),
  quiet: <path d="M5 3.5v9M11 3.5v9" fill="none" stroke="currentColor" stroke-width="2.6" />,
};

/** The tone in words. */
export const TONE_WORDS: Readonly<Record<Tone, string>> = {
  good: 'as it should be',
  busy: 'makes progress by itself',
  waits: 'waits for a person',
  bad: 'needs a change',
  quiet: 'paused, or not looked at',
};

/** Shows a tone as a small shape, with its word as text. */
export function ToneIcon({ tone }: { readonly tone: Tone }): JSX.Element {
  return (
    <svg class={`icon ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}
