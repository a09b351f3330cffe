import { isDeepStrictEqual } from 'node:util';
import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import type { DeploymentState } from '../../../../src/simulator/state/deployment-state.ts';
import { isWireObject } from '../../../../src/simulator/values/wire-values.ts';
import { type Declared, THEIRS, wireContent } from '../declared.ts';
import type { Harness } from '../harness.ts';

const LOOK_EVERY_MS = 500;

/** Waits until all problems are resolved. After the limit, returns the remaining problems. */
export async function whatStaysWrong(
  wrongs: () => Promise<readonly string[]>,
  limitMs: number,
  told: (wrongs: readonly string[]) => void,
): Promise<readonly string[]> {
  const endMs = Date.now() + limitMs;
  for (;;) {
    const found = await wrongs();
    told(found);
    if (found.length === 0 || Date.now() > endMs) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Describes differences of resources or of the service from the declarations. */
export async function unequal({ actors, cluster, service }: Harness): Promise<readonly string[]> {
  const resources = await cluster.items(cluster.ours('deployments'));
  const { deployments } = await service.state();
  return actors.fleet.flatMap((declared) => {
    const resource = resources.find(({ metadata }) => metadata.name === declared.name);
    const kept = deployments.filter(({ name }) => name === declared.name);
    return [...resourceWrongs(declared, resource), ...serviceWrongs(declared, kept)].map(
      (wrong) => `${declared.name}: ${wrong}`,
    );
  });
}

/** Describes what remains although every resource was deleted. */
export async function leftOver({ actors, cluster, service }: Harness): Promise<readonly string[]> {
  const resources = await cluster.items(cluster.ours('deployments'));
  const { deployments } = await service.state();
  const made = actors.fleet.filter(({ origin }) => origin === 'made').map(({ name }) => name);
  return [
    ...resources.map(
      ({ metadata: { name, finalizers = [] }, status }) =>
        `${name} is still there, with ${finalizers.join(', ') || 'no finalizer'}: ${syncedOf(status)}`,
    ),
    ...deployments.flatMap(({ name }) => (made.includes(name) ? [`${name} is still at the service`] : [])),
    ...actors.fleet.flatMap(({ name, origin }) =>
      origin === 'adopted' && !deployments.some((kept) => kept.name === name)
        ? [`${name} was there before and is gone from the service`]
        : [],
    ),
  ];
}

function resourceWrongs({ state }: Declared, resource: DeploymentResource | undefined): readonly string[] {
  if (state !== 'present') return resource === undefined ? [] : ['is still there'];
  if (resource === undefined) return ['is gone from the API server'];
  const { metadata, status } = resource;
  const synced = status?.conditions?.find(({ type }) => type === 'Synced');
  const current = synced?.observedGeneration === metadata.generation;
  if (!current || synced?.reason !== 'InSync') return [`says ${syncedOf(status)}`];
  return status?.pendingWrite === undefined ? [] : ['has a write announced'];
}

function syncedOf(status: DeploymentResource['status']): string {
  const synced = status?.conditions?.find(({ type }) => type === 'Synced');
  return synced === undefined ? 'nothing' : `${synced.reason} (${synced.message})`;
}

function serviceWrongs(declared: Declared, kept: readonly DeploymentState[]): readonly string[] {
  if (declared.state !== 'present') return declared.origin === 'made' && kept.length > 0 ? ['was left'] : [];
  const [found] = kept;
  if (found === undefined || kept.length > 1) return [`is there ${kept.length} times at the service`];
  const { secrets, revisionConfig, sourceConfig } = found.content;
  const want = wireContent(declared);
  const spec = isWireObject(sourceConfig['resource_spec']) ? sourceConfig['resource_spec'] : {};
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['custom_url', want.url, sourceConfig['custom_url']],
    ['cpu', want.cpu, spec['cpu']],
    ['image_uri', want.image, revisionConfig['image_uri']],
    ['secrets', want.secrets, Object.fromEntries(secrets.map(({ name, value }) => [name, value]))],
    ...(declared.origin === 'adopted'
      ? [['what nobody declares', THEIRS, { max_scale: spec['max_scale'], labels: spec['labels'] }] as const]
      : []),
  ];
  return pairs.flatMap(([what, wanted, has]) =>
    isDeepStrictEqual(wanted, has)
      ? []
      : [`${what} is ${JSON.stringify(has)} at the service, not ${JSON.stringify(wanted)}`],
  );
}
