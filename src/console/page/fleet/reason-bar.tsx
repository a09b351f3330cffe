import type { JSX } from 'preact';
import type { ReasonCount } from '../../../views/screens/fleet-screen.ts';
import { ToneIcon } from '../parts/tone-icon.tsx';
import { hrefOf } from '../state/route.ts';
import { hasWord, withWord } from './filter-words.ts';

const WIDTH = 1000;
const GAP = 3;
/** So that one among ten thousand can still be seen. */
const NARROWEST = 8;

/** How many resources have which reason: as a bar for the eye, and as words of the filter. */
export function ReasonBar({
  bar,
  filter,
}: {
  readonly bar: readonly ReasonCount[];
  readonly filter: string;
}): JSX.Element | null {
  if (bar.length === 0) return null;
  return (
    <div class="bar">
      <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        {placed(bar).map(({ reason, tone, x, width }) => (
          <rect key={reason} class={tone} x={x} width={width} height="10" />
        ))}
      </svg>
      <nav class="legend" aria-label="Reasons">
        {bar.map(({ reason, count, tone }) => (
          <a
            key={reason}
            href={hrefOf('fleet', { filter: withWord(filter, `reason:${reason}`) })}
            aria-current={hasWord(filter, `reason:${reason}`) ? 'true' : undefined}
          >
            <ToneIcon tone={tone} />
            <span>{reason}</span> <b>{count.toLocaleString('en')}</b>
          </a>
        ))}
      </nav>
    </div>
  );
}

interface Placed extends ReasonCount {
  readonly x: number;
  readonly width: number;
}

function placed(bar: readonly ReasonCount[]): readonly Placed[] {
  const total = bar.reduce((sum, { count }) => sum + count, 0);
  const room = WIDTH - GAP * (bar.length - 1) - NARROWEST * bar.length;
  let x = 0;
  return bar.map((reason) => {
    const width = NARROWEST + (Math.max(0, room) * reason.count) / total;
    const here = { ...reason, x, width };
    x += width + GAP;
    return here;
  });
}
