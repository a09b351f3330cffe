import type { DoneAct } from '../actors.ts';
import { excuseFor, repeatText } from './excuses.ts';
import type { Harness } from '../harness.ts';
import { duplicateCreates, repeats } from './repeats.ts';
import type { Result } from '../report.ts';
import { tally } from '../report.ts';
import { badLines } from './told-by-processes.ts';
import { overlappingWrites, takeOvers, writesWithoutLease } from './writers.ts';

/** Returns all problems of the requests and the output, and their number. */
export async function judged(harness: Harness): Promise<Result> {
  const { actors, announcements, leases, masked, replicas, service } = harness;
  await service.refresh();
  const { requests } = service;
  const { violations } = await service.state();
  const nameOf = await namesOfDeployments(harness);
  const startsMs = replicas.flatMap(({ lives }) => lives.map(({ startedMs }) => startedMs));
  const takeOversMs = takeOvers(startsMs, leases);
  const facts = { masked, requests, announcements, takeOversMs, acts: actors.done, nameOf };
  const repeated = repeats(requests).map((repeat) => ({ repeat, excuse: excuseFor(repeat, facts) }));
  const duplicates = duplicateCreates(requests);
  const unexcused = repeated.filter(({ excuse }) => excuse === undefined);
  const overlaps = overlappingWrites(requests);
  const wrongs = [
    ...duplicates,
    ...unexcused.map(({ repeat }) => repeatText(repeat, facts)),
    ...overlaps,
    ...(replicas.length > 1 ? writesWithoutLease(requests, leases) : []),
    ...violations.map(({ rule, path }) => `the interface was broken: ${rule} at ${path.join('.')}`),
    ...badLines(replicas),
  ];
  const sent = (operation: string): number =>
    requests.filter((request) => request.operation === operation).length;
  return {
    wrongs,
    counts: {
      acts: `${actors.done.length}: ${tally(actors.done.map(({ act }: DoneAct) => act))}`,
      'requests to the service': `${sent('list')} lists, ${sent('create')} creates, ${sent('patch')} PATCHes, ${sent('delete')} deletes`,
      'duplicate creates': duplicates.length,
      'PATCHes that repeat a value': unexcused.length,
      'repeats that cannot be avoided': tally(
        repeated.flatMap(({ excuse }) => (excuse === undefined ? [] : [excuse])),
      ),
      'writes to one deployment at once': overlaps.length,
      'secrets at the service': masked ? 'shown as stars' : 'shown in plain',
    },
  };
}

/** Returns a function that returns names by id, including those of deleted deployments. */
async function namesOfDeployments({ service }: Harness): Promise<(id: string) => string | undefined> {
  const names = new Map<string, string>();
  for (const { id, found } of service.requests) {
    const image = found?.revisionConfig['image_uri'];
    const name = typeof image === 'string' ? /\/(agent-\d+):/.exec(image)?.[1] : undefined;
    if (name !== undefined) names.set(id, name);
  }
  for (const { id, name } of (await service.state()).deployments) names.set(id, name);
  return (id) => names.get(id);
}
