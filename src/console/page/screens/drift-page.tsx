import type { JSX } from 'preact';
import type { DriftGroup, DriftScreen } from '../../../views/screens/drift-screen.ts';
import { Difference } from '../parts/change-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { ResourceLink } from '../parts/resource-link.tsx';
import { Section } from '../parts/section.tsx';
import { hrefOf } from '../state/route.ts';

/** Shows everything that was changed at the service since it was applied, by change and by connection. */
export function DriftPage({ data }: { readonly data: DriftScreen }): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{data.sentence}</h1>
      {data.resources === 0 && (
        <Empty title="Nothing drifts.">
          Every deployment is as it was last applied, as far as the service shows it.
        </Empty>
      )}
      {data.resources > 0 && (
        <div class="columns">
          <div>
            {data.groups.map((group) => (
              <Group key={`${group.path} ${group.from} ${group.to} ${group.reason}`} group={group} />
            ))}
          </div>
          <div>
            <ByConnection data={data} />
          </div>
        </div>
      )}
    </>
  );
}

function Group({ group }: { readonly group: DriftGroup }): JSX.Element {
  const { path, from, to, count, reason, members } = group;
  return (
    <section class="card">
      <header>
        <h2>
          <code class="path">{path}</code>
          <span class="count">{count.toLocaleString('en')}</span>
        </h2>
        <span class="tag">{reason}</span>
      </header>
      <Difference from={from} to={to} />
      <p class="members">
        {members.map(({ namespace, name }) => (
          <ResourceLink key={`${namespace}/${name}`} namespace={namespace} name={name} full />
        ))}
        {count > members.length && (
          <span class="muted">and {(count - members.length).toLocaleString('en')} more</span>
        )}
      </p>
    </section>
  );
}

function ByConnection({ data }: { readonly data: DriftScreen }): JSX.Element {
  return (
    <Section title="By connection">
      <table>
        <thead>
          <tr>
            <th scope="col">Connection</th>
            <th scope="col" class="number">
              Resources
            </th>
            <th scope="col" class="number">
              Fields
            </th>
          </tr>
        </thead>
        <tbody>
          {data.connections.map(({ connection, resources, fields }) => (
            <tr key={connection}>
              <th scope="row">
                <a href={hrefOf('fleet', { filter: `connection:${connection}` })}>
                  <bdi>{connection}</bdi>
                </a>
              </th>
              <td class="number">{resources.toLocaleString('en')}</td>
              <td class="number">{fields.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
