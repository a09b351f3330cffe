import { at, type JsonRecord, type Problem, record, warning } from '../problem.ts';
import { SOURCES } from '../sources.ts';

/**
 * The sources for which a field was made, by path below spec. The documentation does not say which source needs which
 * field (2.4).
 */
const FITS: Readonly<Record<string, readonly string[]>> = {
  repository: ['codehost'],
  'sourceConfig.integrationID': ['codehost'],
  'sourceConfig.repoURL': ['codehost'],
  'sourceConfig.buildOnPush': ['codehost'],
  'sourceConfig.listenerID': ['external_container'],
  'sourceConfig.listenerConfig': ['external_container'],
  'sourceConfig.resourceSpec': ['external_container'],
  'sourceRevisionConfig.repoRef': ['codehost'],
  'sourceRevisionConfig.graphConfigPath': ['codehost', 'internal_source'],
  'sourceRevisionConfig.imageURI': ['external_container', 'internal_container'],
  'sourceRevisionConfig.sourceTarballPath': ['internal_source'],
};

/** Sources whose revisions can come from another source: the values of revision_source (4.4). */
const REVISION_SOURCES = ['codehost', 'internal_container', 'internal_source'];

/** References that do not move. */
const PINNED: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^[0-9a-f]{40}$/, 'is a commit'],
  [/^refs\/tags\//, 'is a tag'],
  [/^v?\d+\.\d+(\.\d+)?$/, 'looks like a tag'],
];

/**
 * Fields that a creation is unlikely to work without, by source. A repository that is looked up provides the first
 * three.
 */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  codehost: ['sourceConfig.integrationID', 'sourceConfig.repoURL', 'sourceRevisionConfig.repoRef'],
  internal_source: ['sourceRevisionConfig.sourceTarballPath'],
};

/** Returns warnings about fields that do not fit the source. */
export function sourceWarnings(spec: JsonRecord): Problem[] {
  const { source, revisionSource } = spec;
  if (typeof source !== 'string' || !SOURCES.includes(source)) return [];
  return [
    ...misfits(spec, [source, String(revisionSource)], source),
    ...imageWarnings(spec, source),
    ...revisionSourceWarnings(source, revisionSource),
    ...buildWarnings(spec),
    ...creationWarnings(spec),
    ...neededWarnings(spec, source),
    ...ignoredWarnings(spec),
  ];
}

/**
 * Returns the field, or the object that contains it, if it is not meant for this source, and the sources that it is
 * meant for. The documentation does not say which source may have which field (2.4).
 */
export function misfitFor(
  path: string,
  source: string,
): { readonly path: string; readonly fitting: readonly string[] } | undefined {
  const row = Object.entries(FITS).find(([field]) => path === field || path.startsWith(`${field}.`));
  return row === undefined || row[1].includes(source) ? undefined : { path: row[0], fitting: row[1] };
}

function misfits(spec: JsonRecord, sources: readonly string[], source: string): Problem[] {
  return Object.entries(FITS).flatMap(([path, fitting]) => {
    const absent = at(spec, ...path.split('.')) === undefined;
    if (absent || fitting.some((each) => sources.includes(each))) return [];
    return [warning(`spec.${path}`, `is not meant for source ${source}`, `source ${fitting.join(' or ')}`)];
  });
}

function imageWarnings(spec: JsonRecord, source: string): Problem[] {
  const given = at(spec, 'sourceRevisionConfig', 'imageURI') !== undefined;
  if (source !== 'external_container' || given || spec['managementPolicy'] === 'Observe') return [];
  const expected = 'an image, unless something else sets it';
  return [warning('spec.sourceRevisionConfig.imageURI', 'is absent, so the image is unmanaged', expected)];
}

function revisionSourceWarnings(source: string, revisionSource: unknown): Problem[] {
  if (revisionSource === undefined || REVISION_SOURCES.includes(source)) return [];
  return [
    warning(
      'spec.revisionSource',
      `is not meant for source ${source}`,
      `source ${REVISION_SOURCES.join(' or ')}`,
    ),
  ];
}

function buildWarnings(spec: JsonRecord): Problem[] {
  const ref = at(spec, 'sourceRevisionConfig', 'repoRef');
  if (typeof ref !== 'string' || at(spec, 'sourceConfig', 'buildOnPush') !== true) return [];
  const pinned = PINNED.find(([pattern]) => pattern.test(ref));
  if (pinned === undefined) return [];
  const message = `${pinned[1]}, which no push moves`;
  return [warning('spec.sourceRevisionConfig.repoRef', message, 'a branch with buildOnPush')];
}

function creationWarnings(spec: JsonRecord): Problem[] {
  const creation = record(spec['creation']);
  if (creation['policy'] === 'IfMissing' || creation['recreate'] === true) return [];
  const expected = 'creation.policy IfMissing beside it';
  const problems: Problem[] = [];
  if (spec['repository'] !== undefined) {
    problems.push(warning('spec.repository', 'is used only when a deployment is created', expected));
  }
  if (creation['extra'] !== undefined) {
    problems.push(warning('spec.creation.extra', 'is used only when a deployment is created', expected));
  }
  return problems;
}

/**
 * Warns of missing fields before a creation. The documentation does not say which fields a source requires (2.4), and
 * an existing deployment has them already.
 */
function neededWarnings(spec: JsonRecord, source: string): Problem[] {
  if (at(spec, 'creation', 'policy') !== 'IfMissing' || spec['repository'] !== undefined) return [];
  return (NEEDED[source] ?? [])
    .filter((path) => at(spec, ...path.split('.')) === undefined)
    .map((path) =>
      warning(`spec.${path}`, 'is absent, which the service may refuse', `it for source ${source}`),
    );
}

function ignoredWarnings(spec: JsonRecord): Problem[] {
  if (spec['replicas'] === undefined) return [];
  const expected = 'spec.sourceConfig.resourceSpec.minScale and maxScale';
  return [warning('spec.replicas', 'is ignored; it is accepted because kustomize adds it', expected)];
}
