import type { JSX } from 'preact';
import type { DeploymentState } from '../../../views/screens/deployment-screen.ts';
import type { FleetRow } from '../../../views/screens/fleet-row.ts';
import { Age } from '../parts/age.tsx';
import { Facts } from '../parts/facts.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Section } from '../parts/section.tsx';

/** Shows a deployment as the service reports it, how the operator keeps it, and what the spec asks for. */
export function StateFacts({
  state,
  row,
}: {
  readonly state: DeploymentState;
  readonly row: FleetRow;
}): JSX.Element {
  const { asked, observed, lost } = state;
  return (
    <>
      <Section title="State">
        <Facts
          rows={[
            ['At the service', row.serviceStatus ?? 'not known'],
            ['Name there', <bdi>{state.deploymentName}</bdi>],
            ['Id', code(state.deploymentID)],
            ['Active revision', revision(state.activeRevisionID, state.activeSince)],
            ['Newest revision', newest(state)],
            ['Rollout since', age(state.rolloutStartedTime)],
            ['Missing since', age(state.missingSinceTime)],
            ['Connection', <bdi>{`${state.connectionKind ?? ''} ${row.connection}`}</bdi>],
            ['Service', code(state.endpoint)],
            ['Image version', code(state.imageVersion)],
            ['Kept', `${state.managementPolicy}, drift ${state.driftPolicy}, approval ${state.approval}`],
            [
              'Generation',
              state.behind
                ? `${state.generation ?? '?'}, looked at ${state.observedGeneration ?? 'none'}`
                : undefined,
            ],
            ['Lost by a write', lost.length === 0 ? undefined : lost.join(', ')],
            ['Made', age(state.createdTime)],
          ]}
        />
      </Section>
      <Fields title="Asked for" fields={asked} />
      <Fields title="Newest revision is made of" fields={observed} />
    </>
  );
}

function Fields({
  title,
  fields,
}: {
  readonly title: string;
  readonly fields: DeploymentState['asked'];
}): JSX.Element | null {
  if (fields.length === 0) return null;
  return (
    <Section title={title} count={fields.length}>
      <Facts broad rows={fields.map(({ path, value }) => [path, <LongText text={value} most={200} />])} />
    </Section>
  );
}

const code = (text: string | undefined): JSX.Element | undefined =>
  text === undefined ? undefined : <code class="id">{text}</code>;

const age = (time: string | undefined): JSX.Element | undefined =>
  time === undefined ? undefined : <Age time={time} suffix=" ago" />;

/** Describes the newest revision. Usually it is the active one, which the line above already shows. */
function newest({
  latestRevisionID,
  latestSince,
  activeRevisionID,
}: DeploymentState): JSX.Element | string | undefined {
  if (latestRevisionID !== undefined && latestRevisionID === activeRevisionID) return 'the active one';
  return revision(latestRevisionID, latestSince);
}

const revision = (id: string | undefined, since: string | undefined): JSX.Element | undefined =>
  id === undefined ? undefined : (
    <>
      <code class="id">{id}</code>{' '}
      {since !== undefined && (
        <span class="muted">
          for <Age time={since} />
        </span>
      )}
    </>
  );
