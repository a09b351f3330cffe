import { countText } from '../../base/text-for-people.ts';
import { groupsOf } from '../plans/groups-of.ts';
import type { PlannedResource } from '../plans/planned-resource.ts';
import { changesIn, drifts } from './drift-of.ts';
import { numberText } from './fleet-screen.ts';
import type { Pictured } from './picture.ts';

/** Everything that was changed at the service since it was applied. */
export interface DriftScreen {
  /** A sentence such as `4 resources drift in 2 fields`. */
  readonly sentence: string;
  /** The number of resources with drift. */
  readonly resources: number;
  /** The drift by change, the largest group first. */
  readonly groups: readonly DriftGroup[];
  /** The drift by connection, the largest number first. */
  readonly connections: readonly DriftOfConnection[];
}

/** The same change of one field, and the resources that have it. */
export interface DriftGroup {
  readonly path: string;
  /** The part of the shown value that differs from the applied value. */
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** The reason why nothing is sent, or what the operator waits for. */
  readonly reason: string;
  /** The first twenty resources. */
  readonly members: readonly DriftMember[];
}

/** A resource that drifts. */
export interface DriftMember {
  readonly namespace: string;
  readonly name: string;
  readonly connection: string;
}

/** The drift of one connection. */
export interface DriftOfConnection {
  readonly connection: string;
  readonly resources: number;
  readonly fields: number;
}

/** The number of members that a group names; the others are only counted. */
const MEMBERS = 20;

/** Returns all drift of a fleet, grouped as `plan --group` groups a plan. */
export function driftScreen(fleet: readonly Pictured[]): DriftScreen {
  const drifting = fleet.filter(({ resource }) => drifts(resource));
  const connections = new Map(drifting.map((pictured) => [placeText(pictured.row), pictured.row.connection]));
  const groups = groupsOf(drifting.map(asPlanned)).map(
    ({ path = '', from = '', to = '', reason = '', resources }): DriftGroup => ({
      ...{ path, from, to, reason, count: resources.length },
      members: resources.slice(0, MEMBERS).map((member) => ({
        namespace: member.namespace,
        name: member.name,
        connection: connections.get(placeText(member)) ?? '',
      })),
    }),
  );
  const fields = new Set(groups.map(({ path }) => path)).size;
  return {
    sentence: sentenceOf(drifting.length, fields),
    resources: drifting.length,
    groups,
    connections: byConnection(drifting),
  };
}

function placeText({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function sentenceOf(resources: number, fields: number): string {
  if (resources === 0) return 'Nothing drifts';
  const verb = resources === 1 ? 'resource drifts' : 'resources drift';
  return `${numberText(resources)} ${verb} in ${countText(fields, 'field')}`;
}

/** Returns a status as a plan that contains only its drift. */
function asPlanned({ resource, row }: Pictured): PlannedResource {
  const changes = changesIn(resource).filter(({ drift }) => drift);
  return {
    ...{ kind: resource.kind, namespace: row.namespace, name: row.name },
    action: 'Update',
    sends: false,
    // A failing resource may have drift too. Then the group says why nothing is sent.
    reason: row.headline as PlannedResource['reason'],
    message: '',
    changes: changes.map(({ path, from, to, revision }) => ({ path, from, to, revision, drift: true })),
    ...{ withheld: [], unknown: [] },
  };
}

function byConnection(drifting: readonly Pictured[]): readonly DriftOfConnection[] {
  return [...Map.groupBy(drifting, ({ row }) => row.connection)]
    .map(([connection, members]) => ({
      connection,
      resources: members.length,
      fields: new Set(
        members.flatMap(({ resource }) =>
          changesIn(resource).flatMap(({ path, drift }) => (drift ? [path] : [])),
        ),
      ).size,
    }))
    .toSorted((a, b) => b.resources - a.resources);
}
