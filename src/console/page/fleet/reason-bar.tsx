import type { JSX } from 'preact';
import type { ReasonCount } from '../../../views/screens/fleet-screen.ts';
import { ToneIcon } from '../parts/tone-icon.tsx';
import { hrefOf } from '../state/route.ts';
import { hasWord, withWord } from './filter-words.ts';

const WIDTH = 1000;
const GAP = 3;
/** The minimum width of a part, so that one resource among ten thousand remains visible. */
const NARROWEST = 8;
/** The largest share of the whole width for all minimum widths together, and for all gaps together. */
const NARROW_SHARE = 0.25;
/** The most reasons that are named; more would be too much text. */
const MOST_NAMED = 12;

/** Shows the number of resources with each reason, as a bar and as words of the filter. */
export function ReasonBar({
  bar,
  filter,
}: {
  readonly bar: readonly ReasonCount[];
  readonly filter: string;
}): JSX.Element | null {
  if (bar.length === 0) return null;
  const named = bar.length > MOST_NAMED ? largestOf(bar) : bar;
  const more = bar.filter((part) => !named.includes(part));
  return (
    <div class="bar">
      <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        {placed(bar).map((part) => (
          <rect key={keyOf(part)} class={part.tone} x={part.x} width={part.width} height="10" />
        ))}
      </svg>
      <nav class="legend" aria-label="Reasons">
        {named.map((part) => (
          <Reason key={keyOf(part)} part={part} filter={filter} />
        ))}
        {more.length > 0 && (
          <details>
            <summary>{more.length} more reasons</summary>
            <div class="legend">
              {more.map((part) => (
                <Reason key={keyOf(part)} part={part} filter={filter} />
              ))}
            </div>
          </details>
        )}
      </nav>
    </div>
  );
}

/** Returns the largest parts, in the order of the bar. */
function largestOf(bar: readonly ReasonCount[]): readonly ReasonCount[] {
  const largest = bar.toSorted((a, b) => b.count - a.count).slice(0, MOST_NAMED);
  return bar.filter((part) => largest.includes(part));
}

/**
 * Returns a key with tone and reason: a reason can have two tones. Drift that is only reported is good, unless
 * something else is wrong.
 */
const keyOf = ({ tone, reason }: ReasonCount): string => `${tone} ${reason}`;

function Reason({ part, filter }: { readonly part: ReasonCount; readonly filter: string }): JSX.Element {
  const { reason, count, tone } = part;
  const word = `reason:${reason}`;
  return (
    <a
      href={hrefOf('fleet', { filter: withWord(filter, word) })}
      aria-current={hasWord(filter, word) ? 'true' : undefined}
    >
      <ToneIcon tone={tone} />
      <span>{reason}</span> <b>{count.toLocaleString('en')}</b>
    </a>
  );
}

interface Placed extends ReasonCount {
  readonly x: number;
  readonly width: number;
}

function placed(bar: readonly ReasonCount[]): readonly Placed[] {
  const total = bar.reduce((sum, { count }) => sum + count, 0);
  const gap = Math.min(GAP, (WIDTH * NARROW_SHARE) / bar.length);
  const narrowest = Math.min(NARROWEST, (WIDTH * NARROW_SHARE) / bar.length);
  const room = WIDTH - gap * (bar.length - 1) - narrowest * bar.length;
  let x = 0;
  return bar.map((reason) => {
    const width = narrowest + (room * reason.count) / total;
    const here = { ...reason, x, width };
    x += width + gap;
    return here;
  });
}
