import type { ComponentChildren, JSX } from 'preact';

/** Shows names and their values, without the absent ones. */
export function Facts(about: {
  readonly rows: readonly (readonly [string, ComponentChildren])[];
  /** True to leave room for long names. */
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
