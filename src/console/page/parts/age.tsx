import type { JSX } from 'preact';
import { ageText } from '../../../views/resources/age-text.ts';
import { nowMs } from '../state/clock.ts';

/** How long ago a time is; the exact one shows under the pointer. */
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

/** The time where the reader is, and as it was written. */
const exactly = (time: string): string => `${new Date(time).toLocaleString()} (${time})`;
