import type { JSX } from 'preact';
import type { RevisionLine } from '../../../views/screens/deployment-screen.ts';
import { Age } from '../parts/age.tsx';
import { nowMs } from '../state/clock.ts';

const CAUSES: Readonly<Record<RevisionLine['cause'], string>> = {
  Operator: 'made by the operator',
  External: 'made elsewhere',
  Unknown: 'cause not known',
};

/** Shows the known revisions, each with a bar from its first appearance until it became active, on one time line. */
export function RevisionHistory({ history }: { readonly history: readonly RevisionLine[] }): JSX.Element {
  if (history.length === 0) return <p class="muted">No revision was seen yet.</p>;
  const beginMs = Math.min(...history.map(({ firstSeenTime }) => Date.parse(firstSeenTime)));
  // Steps of half a minute are exact enough for bars of hours, and the bars do not move all the time.
  const endMs = Math.max(beginMs + 1, Math.ceil(nowMs.value / 30_000) * 30_000);
  return (
    <ol class="history">
      {history.map((revision) => (
        <Revision key={revision.id} revision={revision} span={[beginMs, endMs]} />
      ))}
    </ol>
  );
}

function Revision({
  revision,
  span,
}: {
  readonly revision: RevisionLine;
  readonly span: readonly [beginMs: number, endMs: number];
}): JSX.Element {
  const { id, cause, generation, imageURI, commit, firstSeenTime, activeTime, isActive, isNewest } = revision;
  return (
    <li class={isActive ? 'active' : ''}>
      <p class="head">
        <code class="id" title={id}>
          {id.slice(0, 8)}
        </code>
        {isActive && <span class="tag accent">active</span>}
        {isNewest && !isActive && <span class="tag">newest</span>}
        <span class="muted age">
          <Age time={firstSeenTime} suffix=" ago" />
        </span>
      </p>
      <p>
        <code>
          <bdi>{imageURI ?? commit ?? ''}</bdi>
        </code>
      </p>
      <p class="muted">
        {CAUSES[cause]}
        {generation !== undefined && `, generation ${generation}`}
        {`, ${rolloutText(firstSeenTime, activeTime)}`}
      </p>
      <Bar revision={revision} span={span} />
    </li>
  );
}

function Bar({
  revision,
  span: [beginMs, endMs],
}: {
  readonly revision: RevisionLine;
  readonly span: readonly [beginMs: number, endMs: number];
}): JSX.Element {
  const at = (time: string): number => (1000 * (Date.parse(time) - beginMs)) / (endMs - beginMs);
  const from = at(revision.firstSeenTime);
  const to = revision.activeTime === undefined ? 1000 : at(revision.activeTime);
  return (
    <svg class="span" viewBox="0 0 1000 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" x="0" y="2.5" width="1000" height="1" />
      <rect
        class={revision.activeTime === undefined ? 'open' : 'done'}
        x={Math.min(from, 992)}
        width={Math.max(8, to - from)}
        height="6"
      />
    </svg>
  );
}

function rolloutText(firstSeenTime: string, activeTime: string | undefined): string {
  if (activeTime === undefined) return 'not active yet';
  const seconds = Math.max(0, Math.round((Date.parse(activeTime) - Date.parse(firstSeenTime)) / 1000));
  if (seconds < 120) return `active after ${seconds} s`;
  return seconds < 7200
    ? `active after ${Math.round(seconds / 60)} min`
    : `active after ${Math.round(seconds / 3600)} h`;
}
