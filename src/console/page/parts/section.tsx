import type { ComponentChildren, JSX } from 'preact';

/** Shows a part of a screen under a heading. */
export function Section(about: {
  readonly title: string;
  /** The number of items in it. */
  readonly count?: number;
  /** The content beside the heading. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, count, beside, children } = about;
  return (
    <section class="card">
      <header>
        <h2>
          {title}
          {count !== undefined && <span class="count">{count.toLocaleString('en')}</span>}
        </h2>
        {beside}
      </header>
      {children}
    </section>
  );
}
