import type { ComponentChildren, JSX } from 'preact';

/** Names and what stands behind each; what is absent is left out. */
export function Facts(about: {
  readonly rows: readonly (readonly [string, ComponentChildren])[];
  /** With room for long names. */
  readonly broad?: boolean;
}): JSX.Element {
  return (
    <dl class={about.broad === true ? 'facts broad' : 'facts'}>
      {about.rows
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
