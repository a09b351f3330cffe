import type { JSX } from 'preact';
import type { EventLine } from '../../../views/screens/deployment-screen.ts';
import { Age } from '../parts/age.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Section } from '../parts/section.tsx';

/** The events of a resource, the newest first; nothing where there are none and that is no surprise. */
export function EventList({
  events,
  error,
}: {
  readonly events: readonly EventLine[];
  readonly error: string | undefined;
}): JSX.Element | null {
  if (events.length === 0 && error === undefined) return null;
  return (
    <Section title="Events" count={events.length}>
      {error !== undefined && <p class="muted">{error}</p>}
      <ul class="lines">
        {events.map(({ time, type, reason, message, count }) => (
          <li key={`${time} ${reason} ${message.slice(0, 80)}`}>
            <p class="head">
              <b>{reason}</b>
              {type !== 'Normal' && <span class="tag">{type}</span>}
              {count > 1 && <span class="tag">{count} times</span>}
              <span class="muted age">
                <Age time={time} suffix=" ago" />
              </span>
            </p>
            <p>
              <LongText text={message} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
