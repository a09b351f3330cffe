import type { JSX } from 'preact';
import { Notice } from './parts/notice.tsx';
import { SCREENS, screenOf } from './screens/all-screens.tsx';
import { nowMs } from './state/clock.ts';
import { hrefOf, route } from './state/route.ts';
import { loading, overview } from './state/shown.ts';
import { line } from './state/stream.ts';

/** Shows the head of the page: the place, the links to all screens, and the age of the data. */
export function Frame(): JSX.Element {
  const frame = overview.value;
  const here = screenOf(route.value).name;
  return (
    <header class="frame">
      <a class="skip" href={hrefOf(here, route.value.query)} onClick={toContent}>
        Skip to the content
      </a>
      <div class="inner">
        <p class="place" title={frame?.place}>
          <b>dms-operator</b> <bdi>{frame?.place ?? ''}</bdi>
        </p>
        <nav aria-label="Screens">
          {SCREENS.filter(({ key }) => key !== undefined).map(({ name, title, badge }) => {
            const number = frame === undefined ? 0 : (badge?.(frame) ?? 0);
            return (
              <a key={name} href={hrefOf(name)} aria-current={name === here ? 'page' : undefined}>
                {title}
                {number > 0 && <span class="badge">{number.toLocaleString('en')}</span>}
              </a>
            );
          })}
        </nav>
        <Fresh />
      </div>
      <div class="progress" hidden={!loading.value} />
    </header>
  );
}

function toContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
}

/** Shows that the data is live, or how old it is. */
function Fresh(): JSX.Element {
  const freshness = overview.value?.freshness;
  const old = !line.value.heard || freshness?.stale !== undefined;
  if (!old) {
    return (
      <p class="fresh" title={freshness === undefined ? '' : `as of ${freshness.asOf}`}>
        <span class="dot" aria-hidden="true" /> live
      </p>
    );
  }
  const sinceMs = line.value.heard ? Date.parse(freshness?.asOf ?? '') : line.value.lastMs;
  const seconds = Math.max(0, Math.round((nowMs.value - sinceMs) / 1000));
  return (
    <p class="fresh old" role="status">
      <span class="dot" aria-hidden="true" />{' '}
      {Number.isNaN(seconds) ? 'old' : `${seconds.toLocaleString('en')} s old`}
    </p>
  );
}

/** Shows what limits the data: it is old, the user lacks rights, or manifests have errors. */
export function Limits(): JSX.Element | null {
  const { stale, missingRights = [], problems = [] } = overview.value?.freshness ?? {};
  return (
    <>
      {!line.value.heard && (
        <Notice tone="waits" title="The console does not answer; this is the last picture.">
          <p>It goes on by itself, unless the console has ended: started again, it prints another address.</p>
        </Notice>
      )}
      {line.value.heard && stale !== undefined && <Notice tone="waits" title={stale} />}
      {missingRights.length > 0 && (
        <Notice tone="quiet" title="Some of it cannot be seen, for want of a right.">
          <ul>
            {missingRights.map((right) => (
              <li key={right}>
                <code>{right}</code>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {problems.length > 0 && (
        <Notice
          tone="bad"
          title={`${problems.length} ${problems.length === 1 ? 'manifest has an error' : 'errors in manifests'}`}
        >
          <ul>
            {problems.map((problem) => (
              <li key={problem} dir="auto">
                {problem}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
