import type { JSX } from 'preact';
import type {
  DeploymentScreen,
  ScreenPlan,
  NextStep,
  EventLine,
} from '../../../views/screens/deployment-screen.ts';
import { ActionButtons } from '../actions/action-buttons.tsx';
import { planWanted, targetOf } from '../actions/wanted.ts';
import { ChangeList } from '../parts/change-list.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Section } from '../parts/section.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { hrefOf } from '../state/route.ts';
import { ConditionList } from './condition-list.tsx';
import { LastWrites } from './last-writes.tsx';
import { RevisionHistory } from './revision-history.tsx';
import { StateFacts } from './state-facts.tsx';
import type { Tone } from '../../../views/screens/tone.ts';
import { Command } from '../parts/command.tsx';
import { Notice } from '../parts/notice.tsx';
import { Prose } from '../parts/prose.tsx';
import { commandText } from '../state/command-text.ts';
import { Age } from '../parts/age.tsx';

/** Shows everything about one resource. */
export function DeploymentPage({ data }: { readonly data: DeploymentScreen }): JSX.Element {
  const { row, sentence, next, plan, history, conditions, manifest, state } = data;
  return (
    <>
      <Head data={data} />
      {next.length === 0 && (
        <p class="lead">
          <LongText text={sentence} />
        </p>
      )}
      <NextSteps steps={next} tone={row.tone} />
      <div class="columns">
        <div>
          {plan !== undefined && <WhatDiffers plan={plan} />}
          <Section title="History" count={history.length}>
            <RevisionHistory history={history} />
          </Section>
          <ConditionList conditions={conditions} />
          <LastWrites announcement={data.announcement} lastWrite={data.lastWrite} />
          <EventList events={data.events} error={data.eventsError} />
        </div>
        <div>
          <StateFacts state={state} row={row} />
        </div>
      </div>
      <Section title="Manifest">
        <pre tabIndex={0} aria-label="Manifest">
          {manifest}
        </pre>
      </Section>
    </>
  );
}

/** Shows the way back, the name, the state and the possible actions. */
function Head({ data }: { readonly data: DeploymentScreen }): JSX.Element {
  const { row } = data;
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('fleet')}>Fleet</a> <span aria-hidden="true">/</span>{' '}
        <a href={hrefOf('fleet', { filter: `namespace:${row.namespace}` })}>
          <bdi>{row.namespace}</bdi>
        </a>
      </p>
      <div class="headline">
        <h1 tabIndex={-1}>
          <bdi>{row.name}</bdi>
        </h1>
        <StateWord tone={row.tone} reason={row.headline} paused={row.paused} />
        <Buttons data={data} />
      </div>
    </>
  );
}

function Buttons({ data }: { readonly data: DeploymentScreen }): JSX.Element {
  const target = targetOf(data);
  return (
    <div class="buttons">
      <ActionButtons actions={data.actions} target={target} />
      <button type="button" onClick={() => (planWanted.value = target)}>
        Plan now
      </button>
    </div>
  );
}

function WhatDiffers({ plan }: { readonly plan: ScreenPlan }): JSX.Element {
  const { changes, changesOmitted, withheld, revision, hash, sends } = plan;
  return (
    <Section
      title="What differs"
      count={changes.length + changesOmitted}
      beside={
        hash !== undefined && (
          <span class="muted">
            plan <code>{hash}</code>
          </span>
        )
      }
    >
      <p class="muted">
        {sends ? 'Would be sent.' : 'Nothing of it is sent.'}
        {revision !== undefined && ` ${revision}`}
      </p>
      <ChangeList changes={changes} omitted={changesOmitted} withheld={withheld} />
    </Section>
  );
}

/** Explains the state of a resource, and says what to do about it. */
function NextSteps({
  steps,
  tone,
}: {
  readonly steps: readonly NextStep[];
  readonly tone: Tone;
}): JSX.Element {
  return (
    <>
      {steps.map((step) => (
        <Notice key={step.reason} tone={tone} title={<LongText text={step.message} />}>
          <p class="muted">
            <Prose text={step.means} />
          </p>
          <p>
            <b>What to do.</b> <Prose text={step.todo} />
          </p>
          {step.command !== undefined && <Command text={commandText(step.command)} />}
        </Notice>
      ))}
    </>
  );
}

/** Shows the events of a resource, the newest first. Shows nothing if there are none and none failed to load. */
function EventList({
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
