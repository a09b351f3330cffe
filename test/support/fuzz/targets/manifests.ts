import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { renderYaml } from '../../../../src/cli/render/render-yaml.ts';
import { type DeclaredInFile, ManifestFiles } from '../../../../src/directory/manifests/manifest-files.ts';
import { missingReferences } from '../../../../src/directory/manifests/missing-references.ts';
import { readYaml } from '../../../../src/directory/yaml/read-yaml.ts';
import type { FileProblem } from '../../../../src/api/file-problem.ts';
import { isJsonObject } from '../../../../src/base/json.ts';
import { SECRET } from '../harm.ts';
import { HUGE_MANIFESTS, HUGE_YAML } from '../inputs/huge.ts';
import { must, type Target, type Targets, texts } from '../target.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

/**
 * Returns the documents of a folder, separately and without comments. Most time goes into parsing, so small documents
 * can be broken in more ways, and longer ones show little more.
 */
function documentsIn(mostCharacters: number, ...folder: readonly string[]): readonly string[] {
  const path = join(ROOT, ...folder);
  return readdirSync(path)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => readFileSync(join(path, name), 'utf8').split(/^---\n/m))
    .map((text) => text.replaceAll(/^ *#.*\n/gm, '').trimStart())
    .filter((text) => text !== '' && text.length <= mostCharacters);
}

const EXAMPLES = documentsIn(2_000, 'manifests', 'examples');
/** Documents of several kinds, with comments and directives between them. */
const STREAM = `%YAML 1.2\n# Agents.\n---\n${EXAMPLES.slice(0, 4).join('...\n---\n# Next.\n')}`;
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

/**
 * Returns the texts of a problem without the secret. A changed text may have moved the secret into a name, which
 * messages quote.
 */
function toldOf({ message, expected }: Pick<FileProblem, 'message' | 'expected'>): string {
  return `${message}; ${expected}`.replaceAll(SECRET, '');
}

async function declaredIn(input: Uint8Array) {
  return await new ManifestFiles(['-'], { readStdin: async () => input }).read();
}

/** Reads the result again as JSON, which is YAML: the result must be the same. */
async function judgeAgain(declared: readonly DeclaredInFile[]): Promise<void> {
  const objects = declared.map(({ object }) => object).filter((object) => !('data' in object));
  if (objects.length === 0) return;
  const again = await declaredIn(
    Buffer.from(objects.map((object) => JSON.stringify(object)).join('\n---\n')),
  );
  const read = [...again.declared.values()].map(({ object }) => object);
  must(isDeepStrictEqual(read, objects), 'what was declared is read otherwise from its own text');
}

/** The YAML parser takes a hundred times as long per character as the JSON parser. */
const SHARE = 1 / 8;

const manifests: Target = {
  whole: texts(
    ...EXAMPLES,
    ...documentsIn(600, 'test', 'api', 'corpus').filter((_, at) => at % 4 === 0),
    ...[STREAM, SECRET_MANIFEST, LIST],
  ),
  isJSON: false,
  frames: [
    (huge) => huge,
    (huge) => `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: ${huge}\n`,
    (huge) =>
      `apiVersion: dms-operator.dev/v1alpha1\nkind: Deployment\nmetadata: {name: a}\nspec: {source: codehost, creation: {extra: {a: 1}}, secrets: ${huge}}\n`,
    (huge) =>
      `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${huge}}]}`,
  ],
  huge: HUGE_MANIFESTS,
  share: SHARE,
  read: async (input) => {
    const { declared, ignored, problems } = await declaredIn(input);
    const missing = missingReferences({ declared });
    await judgeAgain([...declared.values()]);
    must(
      [...ignored.keys()].every((kind) => kind.length < 8192),
      'what is ignored is told in a few words',
    );
    return [...problems, ...missing.problems].flatMap((problem) => [
      toldOf(problem),
      problem.path.replaceAll(SECRET, ''),
    ]);
  },
};

const streams: Target = {
  whole: texts(
    STREAM,
    ...EXAMPLES.slice(0, 6),
    ...documentsIn(800, 'manifests', 'install'),
    ...[SECRET_MANIFEST, LIST],
  ),
  isJSON: false,
  frames: [(huge) => huge, (huge) => `a: 1\n---\nb: ${huge}\n---\nc: 1\n`],
  huge: HUGE_YAML,
  share: SHARE,
  read: (input) => {
    const { documents, findings } = readYaml(input.toString());
    for (const { locate, value } of documents.slice(0, 50)) {
      must(
        isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value),
        'a document holds what JSON cannot carry',
      );
      must(locate('spec.secrets[2].name').line > 0, 'a place is told of every path');
      if (input.length > 100_000 || !isJsonObject(value)) continue;
      const [again] = readYaml(renderYaml(value)).documents;
      must(isDeepStrictEqual(again?.value, value), 'what was read is read otherwise from what we write');
    }
    return findings.map((finding) => `${toldOf(finding)} ${finding.path.replaceAll(SECRET, '')}`);
  },
};

/** Manifests, and YAML of any kind. */
export const TARGETS: Targets<'manifests'> = { manifests, yaml: streams };
