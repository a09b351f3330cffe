import type { JSX } from 'preact';
import type { Tone } from '../../../views/screens/tone.ts';
import { TONE_WORDS, ToneIcon } from './tone-icon.tsx';

/** Shows a reason with the shape and the colour of its tone. */
export function StateWord(about: {
  readonly tone: Tone;
  readonly reason: string;
  readonly paused?: boolean;
}): JSX.Element {
  const { tone, reason, paused = false } = about;
  return (
    <span class={`state ${tone}`} title={TONE_WORDS[tone]}>
      <ToneIcon tone={tone} />
      <span class="word">{reason}</span>
      {paused && reason !== 'Paused' && <span class="tag">paused</span>}
    </span>
  );
}
