import type { DeploymentResource } from '../../src/api/deployment.ts';
import type { Fleet } from '../../src/compose/fleet.ts';
import { fixedFleet } from '../../src/compose/fleet.ts';

/** A fleet that is listed anew for every question: the resources of a story are few and change all the time. */
export function listedFleet(list: () => readonly DeploymentResource[]): Fleet {
  const now = (): Fleet => fixedFleet(list());
  return {
    get: (key) => now().get(key),
    boundTo: (id) => now().boundTo(id),
    named: (name) => now().named(name),
    usersOf: (connection) => now().usersOf(connection),
  };
}
