import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { manifestsOn } from '../docs/support/manifests-on.ts';
import { pages, ROOT } from '../docs/support.ts';
import { type Conformity, useKubeconform } from '../support/programs/kubeconform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SAMPLES } from './corpus.ts';

const kubeconform = useKubeconform();

/** Samples that validate and the API server refuse by a CEL rule, which JSON schema cannot express. */
const RULES_IN_CEL = [
  'a-clearing-beside-its-list',
  'a-clearing-beside-its-reference',
  'a-clearing-beside-its-value',
  'a-comparison-with-nothing',
  'a-comparison-without-values',
  'a-header-with-two-values',
  'a-header-without-a-value',
  'a-negative-rate',
  'a-proxy-with-a-login-in-its-address',
  'a-proxy-with-a-path',
  'a-proxy-without-a-scheme',
  'a-rate-that-is-too-low',
  'a-secret-with-two-values',
  'a-secret-without-a-value',
  'a-socks-proxy',
  'a-value-from-nowhere',
  'a-value-from-two-places',
  'an-id-and-a-name',
  'authorities-of-a-proxy-from-nowhere',
  'authorities-of-a-proxy-without-tls',
  'certificate-authorities-from-nowhere',
  'certificate-authorities-from-two-places',
  'creation-under-an-id',
  'http-on-a-loopback-address-through-a-proxy',
  'http-on-a-name-that-begins-like-a-loopback-name',
  'http-over-the-network',
  'http-where-it-is-not-allowed',
  'no-requests-at-all',
  'null-as-value-of-a-secret',
  'references-with-a-hosted-source',
  'values-for-an-operator-that-has-none',
];

/** Samples in which list entries have the same key. Draft 7 cannot forbid that if the entries differ otherwise. */
const TWO_OF_A_KEY = [
  'a-container-twice',
  'a-header-twice',
  'a-mount-path-twice',
  'a-pull-secret-twice',
  'a-reference-twice',
  'a-secret-twice',
  'a-variable-twice',
  'a-volume-twice',
];

/** Returns the accepted files: each document is valid or not a manifest, and at least one is valid. */
function takenOf(told: readonly Conformity[]): ReadonlySet<string> {
  const files = Map.groupBy(told, ({ file }) => file);
  const taken = [...files].filter(([, documents]) => {
    const verdicts = new Set(documents.map(({ status }) => status));
    return verdicts.delete('statusValid') && (verdicts.delete(''), verdicts.size === 0);
  });
  return new Set(taken.map(([file]) => basename(file, '.yaml')));
}

it('agrees with validate and the API server on every sample, except where JSON schema cannot', async () => {
  const taken = takenOf(await kubeconform(join(import.meta.dirname, 'corpus')));
  const names = (accepted: boolean): readonly string[] =>
    SAMPLES.filter((sample) => sample.accepted === accepted).map(({ file }) => basename(file, '.yaml'));
  expect(names(true).filter((name) => !taken.has(name))).toEqual([]);
  expect(names(false).filter((name) => taken.has(name))).toEqual(
    [...RULES_IN_CEL, ...TWO_OF_A_KEY].toSorted(),
  );
});

it('accepts every example, the output of import, and every manifest in the documents', async () => {
  const shown = pages().flatMap((page) => manifestsOn(page));
  const folder = temporaryFolder(Object.fromEntries(shown.map((text, index) => [`${index}.yaml`, text])));
  const folders = [join(ROOT, 'manifests', 'examples'), join(ROOT, 'test', 'cli', 'golden'), folder.path];
  const told = await kubeconform(...folders);
  const ours = told.filter(({ kind }) => /^(?:Cluster)?Connection$|^Deployment$/.test(kind));
  expect(ours.filter(({ status }) => status !== 'statusValid')).toEqual([]);
  const files = folders.flatMap((path) => readdirSync(path, { recursive: true, encoding: 'utf8' }));
  expect(new Set(ours.map(({ file }) => file)).size).toBe(
    files.filter((name) => name.endsWith('.yaml')).length,
  );
});
