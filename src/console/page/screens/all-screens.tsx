import type { JSX } from 'preact';
import type { ConnectionsScreen } from '../../../views/screens/connections-screen.ts';
import type { DeploymentScreen } from '../../../views/screens/deployment-screen.ts';
import type { DriftScreen } from '../../../views/screens/drift-screen.ts';
import type { FleetScreen } from '../../../views/screens/fleet-screen.ts';
import type { Overview } from '../../../views/screens/overview.ts';
import type { WaitingScreen } from '../../../views/screens/waiting-screen.ts';
import type { Query, Route } from '../state/route.ts';
import { ConnectionsPage } from './connections-page.tsx';
import { DeploymentPage } from '../deployment/deployment-page.tsx';
import { DriftPage } from './drift-page.tsx';
import { FleetPage } from '../fleet/fleet-page.tsx';
import { WaitingPage } from './waiting-page.tsx';

/** A screen: the address of its data, and its component. */
export interface Screen {
  /** The name in the address. */
  readonly name: string;
  readonly title: string;
  /** The letter that opens it after `g`. Only screens with a letter are in the navigation. */
  readonly key?: string;
  /** Returns the number beside its title; zero is not shown. */
  readonly badge?: (overview: Overview) => number;
  /** The members of the query on which its data depends. */
  readonly query: readonly string[];
  readonly show: (data: unknown, query: Query) => JSX.Element;
}

/** All screens. A new screen needs only an entry here. The first is the default. */
export const SCREENS: readonly Screen[] = [
  screen<FleetScreen>('fleet', 'Fleet', {
    key: 'f',
    query: ['filter', 'page'],
    show: (data, query) => <FleetPage data={data} query={query} />,
  }),
  screen<WaitingScreen>('waiting', 'Waiting', {
    key: 'w',
    query: ['page'],
    badge: ({ waiting }) => waiting,
    show: (data) => <WaitingPage data={data} />,
  }),
  screen<DriftScreen>('drift', 'Drift', {
    key: 'd',
    query: [],
    badge: ({ drifted }) => drifted,
    show: (data) => <DriftPage data={data} />,
  }),
  screen<ConnectionsScreen>('connections', 'Connections', {
    key: 'c',
    query: [],
    show: (data) => <ConnectionsPage data={data} />,
  }),
  screen<DeploymentScreen>('deployment', 'Deployment', {
    query: ['namespace', 'name'],
    show: (data) => <DeploymentPage data={data} />,
  }),
];

/** Returns the screen of a route. */
export function screenOf({ screen: name }: Route): Screen {
  const found = SCREENS.find((candidate) => candidate.name === name) ?? SCREENS[0];
  if (found === undefined) throw new Error('there are no screens');
  return found;
}

/** Returns the address of the data of a route. */
export function pathOf(route: Route): string {
  const { name, query } = screenOf(route);
  const words = query.flatMap((member) => {
    const value = route.query[member];
    return value === undefined ? [] : [`${member}=${encodeURIComponent(value)}`];
  });
  return `/api/${name}${words.length === 0 ? '' : `?${words.join('&')}`}`;
}

type Rest<T> = Omit<Screen, 'name' | 'title' | 'show'> & {
  readonly show: (data: T, query: Query) => JSX.Element;
};

function screen<T>(name: string, title: string, rest: Rest<T>): Screen {
  return { name, title, ...rest, show: (data, query) => rest.show(data as T, query) };
}
