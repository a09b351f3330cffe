import type { JSX } from 'preact';
import { ageText } from '../../../views/resources/age-text.ts';
import { nowMs } from '../state/clock.ts';

/** Shows the age of a time; its tooltip shows the exact time. */
export function Age({
  time,
  suffix = '',
}: {
  readonly time?: string | undefined;
  readonly suffix?: string;
}): JSX.Element {
  const text = ageText(time, nowMs.value);
  if (time === undefined || text === undefined) return <span class="muted">–</span>;
  return (
    <time dateTime={time} title={exactly(time)}>
      {text}
      {suffix}
    </time>
  );
}

/** Returns the time in the reader's time zone and in its original form. */
const exactly = (time: string): string => `${new Date(time).toLocaleString()} (${time})`;
