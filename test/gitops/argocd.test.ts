import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { textOf } from '../docs/support.ts';
import { useGoProgram } from '../support/programs/go-program.ts';
import { besideOf, isBehind, type Judged, judgedResources, reasonOf, statusOf } from './support/judged.ts';

const lua = useGoProgram('lua');

interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: string;
}

/** The value of `resource.customizations.actions.*`. */
interface Actions {
  readonly 'discovery.lua': string;
  readonly definitions: readonly { readonly name: string; readonly 'action.lua': string }[];
}

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

const SETTINGS = (
  parse(textOf('manifests/gitops/argocd-cm.yaml')) as { readonly data: Readonly<Record<string, string>> }
).data;

/** Returns a setting as Argo CD looks it up: by group and kind of the resource. */
function setting(what: 'health' | 'actions', kind: string): string {
  const found = SETTINGS[`resource.customizations.${what}.dms-operator.dev_${kind}`];
  if (found === undefined) throw new Error(`Argo CD is told nothing about ${what} of ${kind}`);
  return found;
}

async function run(script: string, object: unknown): Promise<Answer> {
  const [answer] = (await lua([{ script, object }])) as [Answer];
  return answer;
}

const ACTIONS = parse(setting('actions', 'Deployment')) as Actions;

/** Returns the resource after an action, limited to the part that Argo CD would patch. */
async function after(name: string, object: unknown): Promise<Annotated['metadata']['annotations']> {
  const script = ACTIONS.definitions.find((each) => each.name === name)?.['action.lua'] ?? '';
  const { result, error } = await run(script, object);
  expect(error).toBeUndefined();
  return (result as unknown as Annotated).metadata.annotations;
}

/** Returns the names of the available actions. */
async function offered(object: unknown): Promise<readonly string[]> {
  const { result = {}, error } = await run(ACTIONS['discovery.lua'], object);
  expect(error).toBeUndefined();
  expect(Object.keys(result).toSorted()).toEqual(ACTIONS.definitions.map(({ name }) => name).toSorted());
  const states = Object.entries(result as Record<string, { readonly disabled: boolean }>);
  return states.flatMap(([name, { disabled }]) => (disabled ? [] : [name])).toSorted();
}

/** Returns the meaning of our reasons for people. */
function promised(resource: Judged['resource']): string {
  const paused = resource.metadata.annotations?.['dms-operator.dev/paused'] === 'true';
  const suspended = 'suspend' in resource.spec && resource.spec.suspend;
  if (paused || suspended || reasonOf(resource, 'Synced') === 'Paused') return 'Suspended';
  if (isBehind(resource)) return 'Progressing';
  if (reasonOf(resource, 'Synced') === 'AwaitingApproval') return 'Suspended';
  if (besideOf(resource) === 'Stalled') return 'Degraded';
  return statusOf(resource, 'Ready') === 'True' ? 'Healthy' : 'Progressing';
}

/** Returns a resource whose plan waits for approval. */
function waiting(annotations?: Readonly<Record<string, string>>, generation = 3): object {
  const condition = { type: 'Synced', status: 'False', reason: 'AwaitingApproval', message: '1 change' };
  return {
    metadata: { name: 'agent', generation, ...(annotations === undefined ? {} : { annotations }) },
    spec: { source: 'external_container' },
    status: { observedGeneration: 3, conditions: [condition], plan: { hash: '5c1e0b7a', changes: [] } },
  };
}

describe('the health that Argo CD shows', () => {
  test('matches our conditions, for every status', async () => {
    const judged = judgedResources();
    const tasks = judged.map(({ resource }) => ({
      script: setting('health', resource.kind),
      object: resource,
    }));
    const answers = (await lua(tasks)) as Answer[];
    expect(answers.map(({ error }) => error).filter((error) => error !== undefined)).toEqual([]);
    expect(judged.map(({ line }, index) => `${line}: ${String(answers[index]?.result?.['status'])}`)).toEqual(
      judged.map(({ line, resource }) => `${line}: ${promised(resource)}`),
    );
  });

  test.each(['Deployment', 'Connection', 'ClusterConnection'])(
    'waits until a controller has handled a %s',
    async (kind) => {
      for (const status of [undefined, { observedGeneration: -1 }]) {
        const object = { metadata: { name: 'new', generation: 1 }, spec: {}, ...(status && { status }) };
        expect((await run(setting('health', kind), object)).result).toMatchObject({ status: 'Progressing' });
      }
    },
  );

  test('has a message with reason and text', async () => {
    const script = setting('health', 'Deployment');
    const drift = {
      observedGeneration: 1,
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Active', message: 'revision r1 is active' },
        { type: 'Synced', status: 'False', reason: 'DriftReported', message: 'somebody changed it' },
      ],
    };
    expect((await run(script, { metadata: { generation: 1 }, status: drift })).result).toEqual({
      status: 'Healthy',
      message: 'DriftReported: somebody changed it',
    });
    expect((await run(script, waiting())).result).toEqual({
      status: 'Suspended',
      message: 'AwaitingApproval: 1 change',
    });
  });
});

describe('the actions that Argo CD offers', () => {
  test('are those that apply', async () => {
    const resting = {
      metadata: { name: 'agent', generation: 1 },
      spec: {},
      status: { observedGeneration: 1 },
    };
    expect(await offered(resting)).toEqual(['pause', 'reconcile']);
    expect(await offered({ metadata: { name: 'new' }, spec: {} })).toEqual(['pause', 'reconcile']);
    expect(await offered(waiting())).toEqual(['approve', 'pause', 'reconcile']);
    expect(await offered(waiting({}, 4))).toEqual(['pause', 'reconcile']);
    expect(await offered(waiting({ 'dms-operator.dev/paused': 'true' }))).toEqual(['approve', 'resume']);
    expect(await offered(waiting({ 'dms-operator.dev/paused': 'false' }))).toContain('pause');
  });

  test.each([
    { action: 'approve', key: 'approve', text: /^5c1e0b7a$/ },
    { action: 'pause', key: 'paused', text: /^true$/ },
    { action: 'reconcile', key: 'reconcile-at', text: /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ },
  ])('$action writes its annotation and leaves the others', async ({ action, key, text }) => {
    for (const annotations of [undefined, { 'example.com/owner': 'team-a' }]) {
      expect(await after(action, waiting(annotations))).toEqual({
        ...annotations,
        [`dms-operator.dev/${key}`]: expect.stringMatching(text) as string,
      });
    }
  });

  test('resume never empties the annotations, since Argo CD would then keep the old ones', async () => {
    const annotations = await after('resume', waiting({ 'dms-operator.dev/paused': 'true' }));
    expect(annotations).toEqual({ 'dms-operator.dev/paused': 'false' });
  });

  test('approve refuses if no plan waits', async () => {
    const script = ACTIONS.definitions.find(({ name }) => name === 'approve')?.['action.lua'] ?? '';
    const { error } = await run(script, { metadata: { name: 'agent' }, spec: {} });
    expect(error).toContain('no plan waits for approval');
  });
});
