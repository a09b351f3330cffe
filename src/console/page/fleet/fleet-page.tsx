import type { JSX } from 'preact';
import type { FleetRow } from '../../../views/screens/fleet-row.ts';
import type { FleetScreen } from '../../../views/screens/fleet-screen.ts';
import { Empty } from '../parts/empty.tsx';
import { Pager } from '../parts/pager.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Age } from '../parts/age.tsx';
import { ResourceLink } from '../parts/resource-link.tsx';
import { hrefOf, type Query } from '../state/route.ts';
import { overview } from '../state/shown.ts';
import { FilterBox } from './filter-box.tsx';
import { ReasonBar } from './reason-bar.tsx';
import { hasWord, withWord } from './filter-words.ts';

/** Shows all deployment resources, the worst first. */
export function FleetPage({
  data,
  query,
}: {
  readonly data: FleetScreen;
  readonly query: Query;
}): JSX.Element {
  const filter = query.filter ?? '';
  const { sentence, bar, rows, matched, total, page, pages, filterError } = data;
  return (
    <>
      <h1 tabIndex={-1}>{total > 0 && matched === 0 ? `None of ${total.toLocaleString('en')}` : sentence}</h1>
      <ReasonBar bar={bar} filter={filter} />
      <div class="tools">
        <FilterBox filter={filter} error={filterError} />
        <NamespaceChips filter={filter} />
      </div>
      {total === 0 && <NothingYet />}
      {total > 0 && matched === 0 && (
        <Empty title="Nothing matches this filter.">
          <a href={hrefOf('fleet')}>Show all {total.toLocaleString('en')}</a>
        </Empty>
      )}
      {rows.length > 0 && <FleetTable rows={rows} />}
      {rows.length > 0 && filter !== '' && (
        <p class="muted">
          {matched.toLocaleString('en')} of {total.toLocaleString('en')} shown.{' '}
          <a href={hrefOf('fleet')}>Show all</a>
        </p>
      )}
      <Pager page={page} pages={pages} />
    </>
  );
}

function NothingYet(): JSX.Element {
  const { mode, place } = overview.value ?? {};
  return mode === 'folder' ? (
    <Empty title="No deployments are declared here." command={`dms-operator validate -f ${place ?? '.'}`}>
      Put manifests of the kind Deployment into the folder; they show up by themselves.
    </Empty>
  ) : (
    <Empty title="No deployments are declared here." command="dms-operator import --help">
      Apply a manifest of the kind Deployment, or take over what the service has already.
    </Empty>
  );
}

function FleetTable({ rows }: { readonly rows: readonly FleetRow[] }): JSX.Element {
  const several = (overview.value?.namespaces.length ?? 0) > 1;
  return (
    // The roles repeat the meaning of the tags: on a narrow page, CSS lays the rows out as a grid, and they lose it.
    <table class="fleet" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col" class="c-name">
            Name
          </th>
          <th role="columnheader" scope="col" class="c-state">
            State
          </th>
          <th role="columnheader" scope="col" class="c-image wide">
            Image or ref
          </th>
          <th role="columnheader" scope="col" class="c-revision wide">
            Active revision
          </th>
          <th role="columnheader" scope="col" class="c-connection wide">
            Connection
          </th>
          <th role="columnheader" scope="col" class="c-age">
            Changed
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <Row key={`${row.namespace}/${row.name}`} row={row} several={several} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, several }: { readonly row: FleetRow; readonly several: boolean }): JSX.Element {
  const { namespace, name, tone, headline, paused, message, imageOrRef, activeRevisionID, connection } = row;
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <ResourceLink namespace={namespace} name={name} />
        {several && <bdi class="below">{namespace}</bdi>}
      </th>
      <td role="cell">
        <StateWord tone={tone} reason={headline} paused={paused} />
        {tone !== 'good' && message !== undefined && (
          <span class="below" dir="auto">
            {message.slice(0, 300)}
          </span>
        )}
      </td>
      <td role="cell" class="wide">
        <code title={imageOrRef}>
          <bdi>{shortImage(imageOrRef)}</bdi>
        </code>
      </td>
      <td role="cell" class="wide">
        <code title={activeRevisionID}>{shortId(activeRevisionID)}</code>
      </td>
      <td role="cell" class="wide">
        <bdi>{connection}</bdi>
      </td>
      <td role="cell" class="age">
        <Age time={row.lastChangeTime} />
      </td>
    </tr>
  );
}

const MOST_LETTERS = 22;

/** Shortens an image to its end, where images differ. */
function shortImage(image = '–'): string {
  return image.length <= MOST_LETTERS ? image : image.slice(image.lastIndexOf('/', image.length - 2) + 1);
}

/** Returns the first eight letters of an id, which are enough for a person to tell ids apart. */
const shortId = (id: string | undefined): string => id?.slice(0, 8) ?? '–';

const MOST = 8;

/** Shows the namespaces as words of the filter. Shows nothing if there is only one. */
function NamespaceChips({ filter }: { readonly filter: string }): JSX.Element | null {
  const namespaces = overview.value?.namespaces ?? [];
  if (namespaces.length < 2) return null;
  const [first, more] = [namespaces.slice(0, MOST), namespaces.slice(MOST)];
  const chip = ({ name, count }: { readonly name: string; readonly count: number }): JSX.Element => {
    const word = `namespace:${name}`;
    return (
      <a
        key={name}
        class="chip"
        href={hrefOf('fleet', { filter: withWord(filter, word) })}
        aria-current={hasWord(filter, word) ? 'true' : undefined}
      >
        <bdi>{name}</bdi> <span class="muted">{count.toLocaleString('en')}</span>
      </a>
    );
  };
  return (
    <nav class="chips" aria-label="Namespaces">
      {first.map(chip)}
      {more.length > 0 && (
        <details>
          <summary class="chip">{more.length} more</summary>
          <div class="chips">{more.map(chip)}</div>
        </details>
      )}
    </nav>
  );
}
