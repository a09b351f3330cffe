import type { JSX } from 'preact';
import type { ConnectionCard, ConnectionsScreen } from '../../../views/screens/connections-screen.ts';
import type { Tone } from '../../../views/screens/tone.ts';
import { Age } from '../parts/age.tsx';
import { Empty } from '../parts/empty.tsx';
import { Facts } from '../parts/facts.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Prose } from '../parts/prose.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TONE_WORDS, ToneIcon } from '../parts/tone-icon.tsx';
import { hrefOf } from '../state/route.ts';

/** Shows the connections. */
export function ConnectionsPage({ data }: { readonly data: ConnectionsScreen }): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{data.sentence}</h1>
      {data.connections.length === 0 && (
        <Empty
          title="Without one nothing is read or sent."
          command="dms-operator validate -f connection.yaml"
        >
          A Connection says where the service is, and what authenticates there.
        </Empty>
      )}
      <div class="cards">
        {data.connections.map((card) => (
          <Card key={`${card.kind} ${card.namespace}/${card.name}`} card={card} />
        ))}
      </div>
    </>
  );
}

function Card({ card }: { readonly card: ConnectionCard }): JSX.Element {
  const { kind, namespace, name, tone, reason, message, since, means, todo, learned, providers } = card;
  return (
    <section class="card">
      <header>
        <h2>
          <bdi>{name}</bdi>{' '}
          <span class="muted mid">
            {kind}
            {namespace !== '' && (
              <>
                {' '}
                in <bdi>{namespace}</bdi>
              </>
            )}
          </span>
        </h2>
        <span>
          <StateWord tone={tone} reason={reason ?? 'Not looked at'} />{' '}
          <span class="muted">
            <Age time={since} />
          </span>
        </span>
      </header>
      {message !== undefined && tone !== 'good' && (
        <p>
          <LongText text={message} />
        </p>
      )}
      {tone !== 'good' && todo !== undefined && (
        <p class="muted">
          <Prose text={`${means ?? ''} ${todo}`} />
        </p>
      )}
      <Facts rows={factsOf(card)} />
      <Learned lines={learned} />
      <Providers lines={providers} />
    </section>
  );
}

function Learned({ lines }: { readonly lines: ConnectionCard['learned'] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>Learned about the service</h3>
      <Facts
        broad
        rows={lines.map(({ what, verdict, count, time }) => [
          what,
          <>
            {verdict}{' '}
            <span class="muted">
              {count === 1 ? 'once' : `${count.toLocaleString('en')} times`},{' '}
              <Age time={time} suffix=" ago" />
            </span>
          </>,
        ])}
      />
    </>
  );
}

function Providers({ lines }: { readonly lines: ConnectionCard['providers'] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>OAuth providers</h3>
      <Facts
        broad
        rows={lines.map(({ name, providerID, type }) => [
          name,
          [providerID, ...(type === undefined ? [] : [type])].join(', '),
        ])}
      />
    </>
  );
}

function factsOf(card: ConnectionCard): readonly (readonly [string, JSX.Element | string | undefined])[] {
  const { endpoint, edition, tenantID, servedBy, deployments, rate, pollSeconds, suspended } = card;
  return [
    ['Service', <code class="id">{endpoint}</code>],
    ['Edition', edition === 'Unknown' ? undefined : edition],
    ['Tenant', tenantID === undefined ? undefined : <code class="id">{tenantID}</code>],
    ['Suspended', suspended ? 'yes: nothing is read or sent' : undefined],
    ['Served by', servedBy],
    [
      'Deployments',
      deployments === undefined
        ? undefined
        : `${deployments.total} there, ${deployments.managed} kept from here`,
    ],
    ['Rate', rateText(rate)],
    ['Looks at the list', pollSeconds === undefined ? undefined : `every ${pollSeconds} s`],
    ['Used by', <Users card={card} />],
  ];
}

function rateText({ requestsPerSecond, burst, concurrency }: ConnectionCard['rate']): string | undefined {
  const parts = [
    requestsPerSecond === undefined ? undefined : `${requestsPerSecond} requests a second`,
    burst === undefined ? undefined : `bursts of ${burst}`,
    concurrency === undefined ? undefined : `${concurrency} at once`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

const TONES: readonly Tone[] = ['bad', 'waits', 'busy', 'quiet', 'good'];

function Users({ card: { name, users } }: { readonly card: ConnectionCard }): JSX.Element {
  return (
    <>
      <a data-row href={hrefOf('fleet', { filter: `connection:${name}` })}>
        {users.count.toLocaleString('en')} {users.count === 1 ? 'resource' : 'resources'}
      </a>{' '}
      {TONES.filter((tone) => users.tones[tone] > 0).map((tone) => (
        <span key={tone} class={`state ${tone}`} title={TONE_WORDS[tone]}>
          <ToneIcon tone={tone} />
          <span class="hidden">{TONE_WORDS[tone]}: </span>
          {users.tones[tone].toLocaleString('en')}
        </span>
      ))}
    </>
  );
}
