import { CLUSTER_CONNECTION_KIND } from '../connection.ts';
import { connectionWarnings } from './connection-warnings.ts';
import { ANNOTATIONS, DEPLOYMENT_KIND } from '../deployment.ts';
import { GROUP } from '../metadata.ts';
import { at, isRecord, join, type JsonRecord, type Problem, record, warning } from '../problem.ts';
import { resourceSpecWarnings } from './resource-spec-warnings.ts';
import { secretWarnings } from './secret-warnings.ts';
import { sourceWarnings } from './source-warnings.ts';

/** A larger request may be too large for the service, whose limits are not documented (section 8). */
const LARGE_SPEC_BYTES = 900 * 1024;

/**
 * Lists likely mistakes that no rule forbids: the specification does not say which fields a source needs, which numbers
 * are valid, or how names are formed. A warning never makes a manifest invalid.
 */
export function warningsAbout(document: JsonRecord): Problem[] {
  const spec = record(document['spec']);
  if (document['kind'] !== DEPLOYMENT_KIND) {
    return connectionWarnings(spec, document['kind'] === CLUSTER_CONNECTION_KIND);
  }
  return [
    ...annotationWarnings(at(document, 'metadata', 'annotations')),
    ...sourceWarnings(spec),
    ...formWarnings(spec),
    ...resourceSpecWarnings(at(spec, 'sourceConfig', 'resourceSpec'), deploymentName(document)),
    ...secretWarnings(spec),
    ...sizeWarnings(spec),
  ];
}

function deploymentName(document: JsonRecord): unknown {
  return at(document, 'spec', 'deploymentRef', 'name') ?? at(document, 'metadata', 'name');
}

function annotationWarnings(annotations: unknown): Problem[] {
  const known: readonly string[] = Object.values(ANNOTATIONS);
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(record(annotations))) {
    const path = join('metadata.annotations', name);
    if (name === ANNOTATIONS.paused && value !== 'true' && value !== 'false') {
      problems.push(warning(path, 'has no effect with this value', '"true" or "false"'));
    } else if (name.startsWith(`${GROUP}/`) && !known.includes(name)) {
      problems.push(warning(path, 'is not an annotation of this project', `one of ${known.join(', ')}`));
    }
  }
  return problems;
}

function sizeWarnings(spec: JsonRecord): Problem[] {
  if (!isRecord(spec)) return [];
  const bytes = new TextEncoder().encode(JSON.stringify(spec)).length;
  if (bytes <= LARGE_SPEC_BYTES) return [];
  return [
    warning('spec', `has ${Math.ceil(bytes / 1024)} KiB, which the service may refuse`, 'less than 900 KiB'),
  ];
}

/** The usual form of a text. The service documents no form of any text (2.4, 2.6). */
interface Form {
  readonly path: string;
  readonly pattern: RegExp;
  readonly message: string;
  readonly expected: string;
}

const FORMS: readonly Form[] = [
  {
    path: 'sourceConfig.repoURL',
    pattern: /^(?:(?:https?|ssh|git):\/\/[^\s/]+\/\S+|[^\s@/]+@[^\s:/]+:\S+)$/i,
    message: 'does not look like the URL of a repository',
    expected: 'such as https://code.example.com/acme/agent',
  },
  {
    path: 'sourceConfig.customURL',
    pattern: /^https?:\/\/[^\s/]\S*$/i,
    message: 'does not look like a URL',
    expected: 'such as https://agent.example.com',
  },
  {
    path: 'sourceConfig.listenerConfig.k8sNamespace',
    pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    message: 'cannot be the name of a namespace',
    expected: 'at most 63 lower-case letters, digits and dashes',
  },
  {
    path: 'sourceRevisionConfig.repoRef',
    pattern: /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\]+(?<![/.])$/,
    message: 'cannot be the name of a branch, a tag or a commit',
    expected: 'such as main or refs/tags/v1.2.0',
  },
  {
    path: 'sourceRevisionConfig.imageURI',
    pattern:
      /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$/i,
    message: 'does not look like a reference of an image',
    expected: 'such as registry.example.com/acme/agent:1.2.0',
  },
];

/** Warns of texts that are empty or do not have their usual form. */
function formWarnings(spec: JsonRecord): Problem[] {
  const empty = ['sourceConfig', 'sourceRevisionConfig'].flatMap((block) =>
    Object.entries(record(spec[block]))
      .filter(([, value]) => value === '')
      .map(([name]) => warning(`spec.${block}.${name}`, 'is empty', 'a value, or its path in spec.clear')),
  );
  const odd = FORMS.flatMap(({ path, pattern, message, expected }) => {
    const text = at(spec, ...path.split('.'));
    const fits = typeof text !== 'string' || text === '' || pattern.test(text);
    return fits ? [] : [warning(`spec.${path}`, message, expected)];
  });
  return [...empty, ...odd];
}
