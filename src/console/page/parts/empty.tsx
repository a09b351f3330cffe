import type { ComponentChildren, JSX } from 'preact';
import { Command } from './command.tsx';

/** Shows that there is nothing, why, and which command helps. */
export function Empty(about: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly command?: string;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="title">{about.title}</p>
      {about.children !== undefined && <p>{about.children}</p>}
      {about.command !== undefined && (
        <p>
          <Command text={about.command} />
        </p>
      )}
    </div>
  );
}
