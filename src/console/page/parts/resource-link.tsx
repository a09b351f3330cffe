import type { JSX } from 'preact';
import { hrefOf } from '../state/route.ts';

/** Links to the screen of one resource. The keys `j` and `k` stop at it. */
export function ResourceLink(about: {
  readonly namespace: string;
  readonly name: string;
  /** True to show the namespace before the name. */
  readonly full?: boolean;
}): JSX.Element {
  const { namespace, name, full = false } = about;
  return (
    <a
      class="resource"
      data-row
      href={hrefOf('deployment', { namespace, name })}
      title={`${namespace}/${name}`}
    >
      {full && <bdi class="muted">{namespace}/</bdi>}
      <bdi>{name}</bdi>
    </a>
  );
}
