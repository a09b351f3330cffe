import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { renderYaml } from '../../../../src/cli/render-yaml.ts';
import { type DeclaredInFile, ManifestFiles } from '../../../../src/directory/manifest-files.ts';
import { readState, StateFile } from '../../../../src/directory/state-file.ts';
import { acquireLock } from '../../../../src/directory/state-lock.ts';
import { readYaml } from '../../../../src/directory/yaml-documents.ts';
import { ExpectedError } from '../../../../src/model/expected-error.ts';
import type { FileProblem } from '../../../../src/model/file-problem.ts';
import { isJsonObject } from '../../../../src/model/json.ts';
import { VirtualClock } from '../../../../src/simulator/virtual-clock.ts';
import { DEPLOYMENT_STATUS } from '../../../api/full-status.ts';
import { MemoryLogger } from '../../memory-logger.ts';
import { SECRET } from '../harm.ts';
import { HUGE_YAML } from '../huge.ts';
import { Scratch } from '../scratch.ts';
import { must, type Target, texts, told } from '../target.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

function filesIn(...folder: readonly string[]): readonly Buffer[] {
  const path = join(ROOT, ...folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(path, name)));
}

const EXAMPLES = filesIn('manifests', 'examples');
/** What kustomize puts out: all kinds in one stream, keys in the order of the alphabet. */
const STREAM = Buffer.from(EXAMPLES.map(String).join('---\n'));
const SECRET_MANIFEST = `apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: team-a}
stringData:
  token: "${SECRET}"
data:
  other: ${Buffer.from(SECRET).toString('base64')}
`;
const LIST = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: 'c' } }],
});

/** Only where a text is quoted that stands in the place of a name may a changed text have put a secret there. */
function toldOf({ message, expected }: Pick<FileProblem, 'message' | 'expected'>): string {
  return `${message}; ${expected}`.replaceAll(SECRET, '');
}

async function declaredIn(input: Uint8Array) {
  return await new ManifestFiles(['-'], { readStdin: async () => input }).read();
}

/** As JSON, which is YAML: what was read must be read so again. */
async function judgeAgain(declared: readonly DeclaredInFile[]): Promise<void> {
  const objects = declared.map(({ object }) => object).filter((object) => !('data' in object));
  if (objects.length === 0) return;
  const again = await declaredIn(
    Buffer.from(objects.map((object) => JSON.stringify(object)).join('\n---\n')),
  );
  const read = [...again.declared.values()].map(({ object }) => object);
  must(isDeepStrictEqual(read, objects), 'what was declared is read otherwise from its own text');
}

const manifests: Target = {
  name: 'manifests',
  cases: 1_200,
  whole: [
    ...EXAMPLES,
    ...filesIn('test', 'api', 'corpus').filter((_, at) => at % 8 === 0),
    ...texts(SECRET_MANIFEST, LIST),
  ],
  isJSON: false,
  frames: [
    (huge) => huge,
    (huge) => `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: ${huge}\n`,
    (huge) =>
      `apiVersion: dms-operator.dev/v1alpha1\nkind: Deployment\nmetadata: {name: a}\nspec: {source: codehost, creation: {extra: {a: 1}}, secrets: ${huge}}\n`,
    (huge) =>
      `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${huge}}]}`,
  ],
  huge: HUGE_YAML,
  read: async (input) => {
    const { declared, ignored, problems } = await declaredIn(input);
    await judgeAgain([...declared.values()]);
    must(
      [...ignored.keys()].every((kind) => kind.length < 8192),
      'what is ignored is told in a few words',
    );
    return problems.flatMap((problem) => [toldOf(problem), problem.path.replaceAll(SECRET, '')]);
  },
};

const streams: Target = {
  name: 'yaml',
  cases: 1_000,
  whole: [
    STREAM,
    ...EXAMPLES.slice(0, 6),
    ...filesIn('manifests', 'install'),
    ...texts(SECRET_MANIFEST, LIST),
  ],
  isJSON: false,
  frames: [(huge) => huge, (huge) => `a: 1\n---\nb: ${huge}\n---\nc: 1\n`],
  huge: HUGE_YAML,
  read: (input) => {
    const { documents, findings } = readYaml(input.toString());
    for (const { locate, value } of documents.slice(0, 50)) {
      must(
        isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value),
        'a document holds what JSON cannot carry',
      );
      must(locate('spec.secrets[2].name').line > 0, 'a place is told of every path');
      // A mark of byte order at the beginning of a text is no part of it, for any reader of YAML.
      if (input.length > 100_000 || !isJsonObject(value) || renderYaml(value).startsWith('\ufeff')) continue;
      const [again] = readYaml(renderYaml(value)).documents;
      must(isDeepStrictEqual(again?.value, value), 'what was read is read otherwise from what we write');
    }
    return findings.map((finding) => `${toldOf(finding)} ${finding.path.replaceAll(SECRET, '')}`);
  },
};

const RESOURCE = {
  uid: '11111111-1111-4111-8111-111111111111',
  generation: 3,
  specHash: 'v1:abc:def',
  resourceVersion: 12,
  creationTimestamp: '2026-11-20T10:00:00Z',
  claimed: true,
  status: DEPLOYMENT_STATUS,
  deletionTimestamp: '2026-11-20T11:00:00Z',
  retained: {
    annotations: { 'dms-operator.dev/paused': 'true' },
    spec: { source: 'codehost', deletionPolicy: 'Delete' },
  },
};
const STATE = JSON.stringify({
  version: 1,
  keyID: 'v1:abc',
  resources: {
    'Deployment team-a/agent': RESOURCE,
    'Secret team-a/keys': { ...RESOURCE, status: undefined, retained: undefined },
  },
});

const scratch = new Scratch();

const states: Target = {
  name: 'state-file',
  cases: 3_000,
  whole: texts(STATE, JSON.stringify({ version: 1, keyID: '', resources: {} })),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `{"version":1,"keyID":"a","resources":${huge}}`,
    (huge) => `{"version":${huge},"keyID":${huge},"resources":{}}`,
    (huge) => STATE.replace('"conditions":', `"more":${huge},"conditions":`),
  ],
  scratch,
  read: async (input) => {
    const path = scratch.write('state.json', input);
    try {
      const { keyID, resources } = await readState(path);
      const file = await StateFile.open(path, new VirtualClock(), new MemoryLogger());
      try {
        for (const [key, state] of resources) file.set(key, state);
        await file.landed();
      } finally {
        await file.close();
      }
      const again = await readState(path);
      must(
        again.keyID === keyID && sortedText(again.resources) === sortedText(resources),
        'a state is read otherwise from what we wrote',
      );
      return [];
    } catch (error) {
      return told(error, ExpectedError);
    }
  },
};

/** The file is in the order of its keys. */
function sortedText(resources: ReadonlyMap<string, unknown>): string {
  return JSON.stringify([...resources].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const locks: Target = {
  name: 'state-lock',
  cases: 1_000,
  whole: texts(
    JSON.stringify({ pid: 999_999_999, started: '1', machine: 'another/pid:[1]' }),
    JSON.stringify({ pid: 1, started: '', machine: 'another/pid:[1]' }),
  ),
  isJSON: true,
  frames: [(huge) => huge, (huge) => `{"pid":1,"started":${huge},"machine":${huge}}`],
  scratch,
  read: async (input) => {
    const path = scratch.write('state.lock', input);
    try {
      const lock = await acquireLock(path, new VirtualClock({ startMs: Date.parse('2000-01-01T00:00:00Z') }));
      await lock.release();
      return [];
    } catch (error) {
      return told(error, ExpectedError);
    }
  },
};

/** Manifests, and what is remembered beside them. */
export const DIRECTORY_TARGETS: readonly Target[] = [manifests, streams, states, locks];
