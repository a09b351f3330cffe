import type { ComponentChildren, JSX } from 'preact';
import type { Tone } from '../../../views/screens/tone.ts';
import { ToneIcon } from './tone-icon.tsx';

/** Shows a notice that a person must read before the rest of the screen. */
export function Notice(about: {
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`notice ${about.tone}`}>
      <ToneIcon tone={about.tone} />
      <div>
        <p class="title">{about.title}</p>
        {about.children}
      </div>
    </div>
  );
}
