import { stringify } from 'yaml';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { connectionsScreen } from '../../../src/views/screens/connections-screen.ts';
import { deploymentScreen } from '../../../src/views/screens/deployment-screen-of.ts';
import type { DeploymentScreen } from '../../../src/views/screens/deployment-screen.ts';
import { driftScreen } from '../../../src/views/screens/drift-screen.ts';
import { fleetScreen } from '../../../src/views/screens/fleet-screen.ts';
import type { Overview } from '../../../src/views/screens/overview.ts';
import { type Picture, pictureOf } from '../../../src/views/screens/picture.ts';
import type { ActionSetting } from '../../../src/views/screens/screen-action.ts';
import { waitingScreen } from '../../../src/views/screens/waiting-screen.ts';
import { sampleConnections, sampleResources } from './sample-fleet.ts';

const ACTIONS: ActionSetting = { allowed: true, missingRight: () => undefined };

/** Returns a picture of sample resources, or of the given ones. */
export function samplePicture(resources = sampleResources()): Picture {
  return pictureOf(resources, sampleConnections());
}

/** Returns the frame around a picture. */
export function overviewOf({ fleet, connections }: Picture): Overview {
  const namespaces = Map.groupBy(fleet, ({ row }) => row.namespace);
  return {
    ...{ place: 'production · cluster europe-1', mode: 'cluster', version: '0.1.0', allowActions: true },
    flags: ['--context', 'production'],
    namespaces: [...namespaces].map(([name, members]) => ({ name, count: members.length })),
    waiting: waitingScreen(fleet, { page: 1, actions: ACTIONS, versionOf: () => '' }).total,
    drifted: driftScreen(fleet).resources,
    connections: connections.length,
    freshness: { asOf: new Date().toISOString(), missingRights: [], problems: [] },
  };
}

/** Returns the screen of one resource. */
export function screenOf(resource: DeploymentResource, actions = ACTIONS): DeploymentScreen {
  const [pictured] = pictureOf([resource], sampleConnections()).fleet;
  if (pictured === undefined) throw new Error('there is no resource');
  const time = new Date(Date.now() - 12 * 60_000).toISOString();
  return deploymentScreen(pictured, {
    resourceVersion: resource.metadata.resourceVersion ?? '',
    events: [{ time, type: 'Normal', reason: 'RevisionSeen', message: 'a revision became active', count: 1 }],
    actions,
    yaml: (value) => stringify(value),
  });
}

/** Returns the answers to the paths of all screens of a picture. */
export function screensOf(picture: Picture): Readonly<Record<string, (query: URLSearchParams) => unknown>> {
  const page = (query: URLSearchParams): number => Number(query.get('page') ?? 1);
  const { fleet } = picture;
  return {
    '/api/overview': () => overviewOf(picture),
    '/api/fleet': (query) => fleetScreen(fleet, { filter: query.get('filter') ?? '', page: page(query) }),
    '/api/deployment': (query) => {
      const found = fleet.find(({ row }) => row.name === query.get('name'));
      return found === undefined ? undefined : screenOf(found.resource);
    },
    '/api/connections': () => connectionsScreen(picture),
    '/api/waiting': (query) =>
      waitingScreen(fleet, { page: page(query), actions: ACTIONS, versionOf: () => '7' }),
    '/api/drift': () => driftScreen(fleet),
  };
}
