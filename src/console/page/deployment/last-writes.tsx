import type { JSX } from 'preact';
import type { AnnouncedWrite, LastWrite } from '../../../views/screens/deployment-screen.ts';
import { Age } from '../parts/age.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Section } from '../parts/section.tsx';

/** Shows the write in progress, and the last write with a known outcome. */
export function LastWrites({
  announcement,
  lastWrite,
}: {
  readonly announcement: AnnouncedWrite | undefined;
  readonly lastWrite: LastWrite | undefined;
}): JSX.Element | null {
  if (announcement === undefined && lastWrite === undefined) return null;
  return (
    <Section title="Writes">
      <ul class="lines">
        {announcement !== undefined && <Announced write={announcement} />}
        {lastWrite !== undefined && <Judged write={lastWrite} />}
      </ul>
    </Section>
  );
}

function Announced({ write }: { readonly write: AnnouncedWrite }): JSX.Element {
  return (
    <li>
      <p class="head">
        <b>{write.operation} announced</b>
        <span class="tag">{write.accepted ? 'accepted, not judged yet' : 'outcome not known'}</span>
        {write.attempt > 1 && <span class="tag">attempt {write.attempt}</span>}
        <span class="muted age">
          <Age time={write.time} suffix=" ago" />
        </span>
      </p>
      <Paths paths={write.paths} />
    </li>
  );
}

function Judged({ write }: { readonly write: LastWrite }): JSX.Element {
  const { outcome, time, paths, refusal, revisionID } = write;
  return (
    <li>
      <p class="head">
        <b>Last write</b>
        <span class="tag">{outcome}</span>
        <span class="muted age">
          <Age time={time} suffix=" ago" />
        </span>
      </p>
      <Paths paths={paths} />
      {refusal !== undefined && (
        <p>
          <LongText text={refusal} />
        </p>
      )}
      {revisionID !== undefined && (
        <p class="muted">
          made revision <code class="id">{revisionID}</code>
        </p>
      )}
    </li>
  );
}

const MOST = 12;

function Paths({ paths }: { readonly paths: readonly string[] }): JSX.Element {
  return (
    <p class="paths">
      {paths.slice(0, MOST).map((path) => (
        <code key={path}>{path}</code>
      ))}
      {paths.length > MOST && <span class="muted">and {paths.length - MOST} more</span>}
    </p>
  );
}
