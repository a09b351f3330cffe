import type { JSX } from 'preact';
import type { ChangeLine, Withheld } from '../../../views/screens/deployment-screen.ts';
import { LongText } from './long-text.tsx';

/** Shows differences field by field: the path, the old and the new value, and whether the change makes a revision. */
export function ChangeList(about: {
  readonly changes: readonly ChangeLine[];
  readonly omitted?: number;
  readonly withheld?: readonly Withheld[];
}): JSX.Element {
  const { changes, omitted = 0, withheld = [] } = about;
  return (
    <ul class="changes">
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
      {omitted > 0 && <li class="muted">and {omitted.toLocaleString('en')} more</li>}
      {withheld.map(({ path, why }) => (
        <li key={`withheld ${path}`}>
          <p class="about">
            <code class="path">{path}</code>
            <span class="tag">not sent</span>
          </p>
          <p class="muted">
            <LongText text={why} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Change({ change }: { readonly change: ChangeLine }): JSX.Element {
  const { path, from, to, drift, revision } = change;
  return (
    <li>
      <p class="about">
        <code class="path">{path}</code>
        {drift && <span class="tag">drift</span>}
        {revision !== 'None' && (
          <span class="tag">{revision === 'Expected' ? 'new revision' : 'perhaps a revision'}</span>
        )}
      </p>
      <Difference from={from} to={to} />
    </li>
  );
}

/**
 * If both values have more characters together, they are shown one above the other, so that differences are easy to
 * see.
 */
const MOST_BESIDE = 30;

/** Shows the value before and after. */
export function Difference({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  return (
    <div class={from.length + to.length > MOST_BESIDE ? 'difference stacked' : 'difference'}>
      <del>
        <span class="hidden">from </span>
        <Value text={from} />
      </del>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M2 8h11M9 4l4 4-4 4" fill="none" stroke="currentColor" stroke-width="1.6" />
      </svg>
      <ins>
        <span class="hidden">to </span>
        <Value text={to} />
      </ins>
    </div>
  );
}

function Value({ text }: { readonly text: string }): JSX.Element {
  return text === '' ? <span class="muted">nothing</span> : <LongText text={text} most={300} />;
}
