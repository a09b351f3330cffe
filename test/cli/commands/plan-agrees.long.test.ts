import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { DIRECT } from '../../../src/model/connection/egress.ts';
import { directoryPhases } from '../../../src/compose/operator/directory-phases.ts';
import { openDirectory } from '../../../src/directory/store/directory-adapter.ts';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';
import { Manager } from '../../../src/runtime/process/manager.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { DeploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { SWITCHES } from '../../../src/simulator/switches/switches.ts';
import { MetricsRegistry } from '../../../src/telemetry/metrics-registry.ts';
import { deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { oneOf, type Random, seededRandom } from '../../support/chance.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { connectionTo, type ServedService, servedService } from '../../support/worlds/served-service.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../support/terminal.ts';

/** The number of folders to play; FOLDERS sets another number. */
const FOLDERS = Number(process.env['FOLDERS'] ?? 12);

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const TOKENS = ['the-first-token-value', 'the-second-token-value'] as const;
const imageOf = (version: number): string => `registry.example.com/agent:${version}`;
const OFTEN = '  poll: {intervalSeconds: 1, rolloutSeconds: 1}\n';

/** The result for a resource: it is written, held for a reason, or in sync. */
type Verdict = 'write' | `held: ${string}` | 'rest';

/** The results for all resources, and the exit code of the command. */
interface Told {
  readonly verdicts: Map<string, Verdict>;
  readonly code: number;
}

interface Planned extends Told {
  /** A part of a change is held back, for another reason than an approval. */
  readonly partly: boolean;
}

/** Reasons that a person resolves by a yes: `apply` ends with 3 and not with 1 for them. */
const BY_A_YES: ReadonlySet<string> = new Set(['held: AwaitingApproval', 'held: Paused']);

/**
 * Reasons that depend on what apply learns while it writes to other resources: whether secrets are listed, and who owns
 * them.
 */
const SECRETS_HELD: ReadonlySet<string> = new Set(['SecretVisibilityUnproven', 'UnmanagedSecretsPresent']);

const heldFor = (reason: string): Verdict => `held: ${SECRETS_HELD.has(reason) ? 'secrets' : reason}`;

/** Returns the exit code of `apply` for these results. A part that is held back fails after the rest was sent. */
function endOf({ verdicts, partly }: Planned): number {
  if (partly) return 1;
  const held = [...verdicts.values()].filter((verdict) => verdict.startsWith('held'));
  if (held.some((verdict) => !BY_A_YES.has(verdict))) return 1;
  return held.length > 0 ? 3 : 0;
}

interface Played {
  readonly folder: TemporaryFolder;
  readonly service: ServedService['service'];
}

/** Returns lines of a spec that decide whether and what is sent. */
function specOf(random: Random): { readonly spec: string; readonly annotations?: string } {
  const secrets = '  secrets: [{name: TOKEN, valueFrom: {secretKeyRef: {name: app, key: token}}}]\n';
  const absent = secrets.replace('name: app', 'name: absent');
  const lines = [
    oneOf(random, ['', '', '  managementPolicy: Observe\n', '  approval: Manual\n']),
    oneOf(random, ['', '  driftPolicy: Report\n']),
    oneOf(random, ['', '  creation: {policy: IfMissing}\n']),
    oneOf(random, [
      '',
      '  sourceConfig: {buildOnPush: true}\n',
      '  sourceConfig: {resourceSpec: {cpu: 2}}\n',
    ]),
    oneOf(random, [
      '',
      `  secretsOwnership: ${oneOf(random, ['Guarded', 'Merge', 'Exclusive'])}\n${secrets}`,
      absent,
    ]),
  ];
  const paused = oneOf(random, [false, false, false, false, true]);
  return { spec: lines.join(''), ...(paused && { annotations: '{dms-operator.dev/paused: "true"}' }) };
}

async function aFolder(random: Random): Promise<Played> {
  const semantics: SemanticsPatch = {
    secretsEcho: oneOf(random, SWITCHES.secretsEcho.values),
    patchEcho: oneOf(random, SWITCHES.patchEcho.values),
    rollout: { kind: 'after', seconds: 0 },
  };
  const there = NAMES.filter(() => random() < 0.85);
  const seeds = there.map((name): Partial<DeploymentSeed> & { readonly name: string } => ({
    name,
    revisionConfig: { image_uri: imageOf(oneOf(random, [1, 2])) },
    secrets:
      random() < 0.5 ? [{ name: oneOf(random, ['TOKEN', 'OTHER']), value: oneOf(random, TOKENS) }] : [],
  }));
  const { url, service } = await servedService(seeds, { semantics });
  const manifests = NAMES.map((name) => deploymentYaml(name, { image: imageOf(1), ...specOf(random) }));
  const folder = temporaryFolder({
    'all.yaml': together(
      connectionTo(url, { spec: OFTEN }),
      secretYaml('app', { token: TOKENS[0] }),
      ...manifests,
    ),
  });
  return { folder, service };
}

const CHOSEN: Readonly<Record<string, 'write' | 'held' | 'rest'>> = {
  Create: 'write',
  Update: 'write',
  Delete: 'write',
  Approve: 'held',
  Held: 'held',
  Error: 'held',
  Wait: 'held',
  None: 'rest',
};

interface Row {
  readonly name: string;
  readonly action: string;
  readonly reason?: string;
  readonly withheld: readonly object[];
}

async function plannedIn({ folder }: Played, ...words: readonly string[]): Promise<Planned> {
  const { out, code } = await run(['plan', '-f', folder.path, '-o', 'json', ...words]);
  const { resources } = JSON.parse(out) as { resources: readonly Row[] };
  const rows = resources.map(({ name, action, reason = 'Paused' }): [string, Verdict] => {
    const chosen = CHOSEN[action] ?? 'rest';
    return [name, chosen === 'held' ? heldFor(reason) : chosen];
  });
  // A plan that waits for approval counts as a change. A held resource outranks it.
  const isHeld = resources.some(
    ({ action, withheld }) => ['Held', 'Error'].includes(action) || withheld.length > 0,
  );
  const changes = resources.some(({ action }) => ['Create', 'Update', 'Delete', 'Approve'].includes(action));
  expect(code, 'plan ends as its resources say').toBe(isHeld ? 1 : changes ? 2 : 0);
  const partly = resources.some(({ action, withheld }) => action !== 'Approve' && withheld.length > 0);
  return { verdicts: new Map(rows), code, partly };
}

/** Returns the names of resources that a request of this run changed or created. */
function writtenSince(service: ServedService['service'], from: number): ReadonlySet<string> {
  const names = new Map(service.deployments().map(({ id, name }) => [id, name]));
  const requests = service.log.requests().slice(from);
  const made = requests.filter(({ operation }) => operation === 'create');
  return new Set([
    ...requests.flatMap(({ operation, path }) =>
      operation === 'patch' ? (names.get(path.split('/').at(-1) ?? '') ?? []) : [],
    ),
    ...made.map(({ body }) => (body as { name: string }).name),
  ]);
}

async function appliedIn({ folder, service }: Played, ...words: readonly string[]): Promise<Told> {
  const before = service.log.requests().length;
  const typed = ['apply', '-f', folder.path, '--yes', '--timeout', '20s', '-o', 'json', ...words];
  const { out, code } = await run(typed);
  const { resources } = JSON.parse(out) as { resources: { name: string; result: string; reason: string }[] };
  const written = writtenSince(service, before);
  const rows = resources.map(({ name, result, reason }): [string, Verdict] => [
    name,
    written.has(name) ? 'write' : result === 'settled' ? 'rest' : heldFor(reason),
  ]);
  return { verdicts: new Map(rows), code };
}

/** Returns what a controller on the folder would do, as `run --dry-run` logs it. */
async function dryIn({ folder }: Played): Promise<Map<string, Verdict>> {
  const [clock, logger] = [systemClock, new MemoryLogger()];
  const adapter = await openDirectory(
    { paths: [folder.path], stateFile: `${folder.path}/dry.json`, prune: false, once: true },
    { clock, logger, randomBytes, digester: hmacDigester },
  );
  const phases = directoryPhases(adapter, {
    ...{ clock, logger, workers: 8, dryRun: true, egress: DIRECT, metrics: new MetricsRegistry(clock) },
  });
  const ending = new AbortController();
  const running = new Manager({ phases, clock, logger }).run(ending.signal);
  const decided = (): boolean =>
    adapter.list().every(({ status }) => status?.conditions !== undefined && !isPassing(status));
  await expect.poll(decided, { timeout: 10_000, interval: 20 }).toBe(true);
  const would = logger.lines.filter(({ message }) => message === 'would send a change');
  const written = new Set(would.map(({ fields }) => String(fields['resource']).replace('team-a/', '')));
  const verdicts = adapter.list().map(({ metadata: { name }, status }): [string, Verdict] => {
    const reason = status?.conditions?.find(({ type }) => type === 'Synced')?.reason ?? '';
    return [name, written.has(name) ? 'write' : AT_REST.has(reason) ? 'rest' : heldFor(reason)];
  });
  ending.abort();
  await running;
  return new Map(verdicts);
}

const AT_REST: ReadonlySet<string> = new Set(['InSync', 'Differs', 'DriftReported']);
const PASSING: ReadonlySet<string> = new Set(['Pending', 'ConnectionNotReady', 'NotVisibleYet']);

function isPassing({ conditions = [] }: NonNullable<DeploymentResource['status']>): boolean {
  return conditions.some(({ type, reason }) => type === 'Synced' && PASSING.has(reason));
}

const seen = new Set<string>();

afterAll(() => {
  expect([...seen].toSorted(), 'every verdict was met before and after the first apply').toEqual([
    ...['1 held', '1 rest', '1 write', '2 held', '2 rest', '2 write'],
  ]);
});

describe.each(Array.from({ length: FOLDERS }, (_, seed) => seed + 1))('in folder %d', (seed) => {
  it('plan, apply and run --dry-run agree on every resource, before the first apply and after edits', async () => {
    const random = seededRandom(seed);
    const played = await aFolder(random);
    const sendSecrets = random() < 0.5 ? ['--send-secrets'] : [];
    // A controller sends without a flag what apply sends only with --send-secrets.
    expect(await dryIn(played), 'run --dry-run').toEqual(
      (await plannedIn(played, '--send-secrets')).verdicts,
    );
    const first = await plannedIn(played, ...sendSecrets);
    const applied = await appliedIn(played, ...sendSecrets);
    expect(applied.verdicts, 'apply').toEqual(first.verdicts);
    expect(applied.code, 'apply ends as the plan said').toBe(endOf(first));
    for (const verdict of first.verdicts.values()) seen.add(`1 ${verdict.replace(/:.*/, '')}`);
    played.folder.write(
      'all.yaml',
      played.folder.read('all.yaml').replaceAll(imageOf(1), imageOf(3)).replace(TOKENS[0], TOKENS[1]),
    );
    for (const { name } of played.service.deployments().slice(0, 2))
      played.service.act({
        kind: 'edit',
        deployment: name,
        path: 'source_config.build_on_push',
        value: false,
      });
    const second = await plannedIn(played, ...sendSecrets);
    for (const verdict of second.verdicts.values()) seen.add(`2 ${verdict.replace(/:.*/, '')}`);
    const again = await appliedIn(played, ...sendSecrets);
    expect(again.verdicts, 'apply after edits').toEqual(second.verdicts);
    expect(again.code, 'apply ends as the second plan said').toBe(endOf(second));
  }, 60_000);
});
