import type { JSX } from 'preact';
import type { WaitingRow, WaitingScreen } from '../../../views/screens/waiting-screen.ts';
import { ActionButtons } from '../actions/action-buttons.tsx';
import { targetOf } from '../actions/wanted.ts';
import { Age } from '../parts/age.tsx';
import { ChangeList } from '../parts/change-list.tsx';
import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Pager } from '../parts/pager.tsx';
import { Prose } from '../parts/prose.tsx';
import { ResourceLink } from '../parts/resource-link.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { commandText } from '../state/command-text.ts';

const GROUPS: readonly (readonly [WaitingRow['kind'], string])[] = [
  ['approve', 'Plans to approve'],
  ['stalled', 'Stalled'],
  ['paused', 'Paused'],
];

/** Shows all resources that wait for a person, each with the actions that help. */
export function WaitingPage({ data }: { readonly data: WaitingScreen }): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{data.sentence}</h1>
      {data.total === 0 && (
        <Empty title="Nothing waits for you.">
          Plans to approve, stalled and paused resources would stand here.
        </Empty>
      )}
      {GROUPS.map(([kind, title]) => [title, data.rows.filter((row) => row.kind === kind)] as const)
        .filter(([, rows]) => rows.length > 0)
        .map(([title, rows]) => (
          <section key={title} class="group">
            <h2>{title}</h2>
            {rows.map((row) => (
              <Item key={`${row.row.namespace}/${row.row.name}`} item={row} />
            ))}
          </section>
        ))}
      <Pager page={data.page} pages={data.pages} />
    </>
  );
}

/** The number of changes that are shown per resource; the screen of the resource shows the others. */
const MOST_CHANGES = 5;

function Item({ item }: { readonly item: WaitingRow }): JSX.Element {
  const { kind, row, next, plan, actions } = item;
  const [first] = actions;
  const changes = plan?.changes ?? [];
  return (
    <article class="card item">
      <header>
        <h3>
          <ResourceLink namespace={row.namespace} name={row.name} full />
        </h3>
        <span>
          <StateWord tone={row.tone} reason={row.headline} />{' '}
          <span class="muted">
            <Age time={row.lastChangeTime} />
          </span>
        </span>
      </header>
      {changes.length === 0 && (
        <p>
          <LongText text={next.message} most={300} />
        </p>
      )}
      {plan !== undefined && (
        <ChangeList
          changes={changes.slice(0, MOST_CHANGES)}
          omitted={plan.changesOmitted + Math.max(0, changes.length - MOST_CHANGES)}
        />
      )}
      {kind !== 'approve' && (
        <p class="muted">
          <Prose text={next.todo} />
        </p>
      )}
      <div class="buttons">
        <ActionButtons actions={actions} target={targetOf(item)} />
        {first?.allowed === false && <Command text={commandText(first.command)} />}
      </div>
    </article>
  );
}
