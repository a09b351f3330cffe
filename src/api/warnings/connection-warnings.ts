import { NAMESPACE_PLACEHOLDER } from '../connection.ts';
import { at, type JsonRecord, list, type Problem, record, warning } from '../problem.ts';

/** Headers that the controller sets itself. */
const OWN_HEADERS = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'user-agent',
  'x-request-id',
];
const CREDENTIAL_HEADER = /(authorization|cookie|token|secret|password|api-?key|access-?key)/i;

/** Returns warnings about a Connection or, if `cluster` is true, a ClusterConnection. */
export function connectionWarnings(spec: JsonRecord, cluster: boolean): Problem[] {
  return [
    ...addressWarnings(spec),
    ...headerWarnings(spec['headers']),
    ...parameterWarnings(at(spec, 'list', 'parameters')),
    ...pollWarnings(record(spec['poll'])),
    ...(cluster ? clusterWarnings(spec) : []),
  ];
}

function addressWarnings({ baseURL, allowHTTP }: JsonRecord): Problem[] {
  if (allowHTTP !== true || typeof baseURL !== 'string' || !baseURL.startsWith('http://')) return [];
  return [warning('spec.baseURL', 'sends headers and secrets in plain text', 'an https address')];
}

function headerWarnings(headers: unknown): Problem[] {
  const seen = new Set<string>();
  return list(headers).flatMap((header, index) => {
    const path = `spec.headers[${index}]`;
    const name = String(at(header, 'name')).toLowerCase();
    const problems: Problem[] = [];
    if (OWN_HEADERS.includes(name))
      problems.push(warning(`${path}.name`, 'is set by the controller', 'another header'));
    if (seen.has(name))
      problems.push(warning(`${path}.name`, 'differs from another one in case only', 'each header once'));
    if (at(header, 'value') !== undefined && CREDENTIAL_HEADER.test(name)) {
      problems.push(
        warning(`${path}.value`, 'looks like a credential in plain text', 'valueFrom with a secretKeyRef'),
      );
    }
    seen.add(name);
    return problems;
  });
}

function parameterWarnings(parameters: unknown): Problem[] {
  const seen = new Set<unknown>();
  return Object.entries(record(parameters)).flatMap(([purpose, name]) => {
    const repeated = seen.has(name);
    seen.add(name);
    if (!repeated) return [];
    return [
      warning(`spec.list.parameters.${purpose}`, 'has the name of another parameter', 'a name of its own'),
    ];
  });
}

function pollWarnings({ intervalSeconds, rolloutSeconds }: JsonRecord): Problem[] {
  const crossed = Number(rolloutSeconds) > Number(intervalSeconds ?? 60);
  if (!crossed) return [];
  return [warning('spec.poll.rolloutSeconds', 'is longer than intervalSeconds', 'at most intervalSeconds')];
}

function clusterWarnings(spec: JsonRecord): Problem[] {
  const problems: Problem[] = [];
  if (spec['namespaceSelector'] === undefined) {
    problems.push(
      warning('spec.namespaceSelector', 'is absent, so no namespace may use it', '{} for all, or labels'),
    );
  }
  for (const [index, pattern] of list(spec['allowedNames']).entries()) {
    if (typeof pattern !== 'string') continue;
    const path = `spec.allowedNames[${index}]`;
    if (/[{}]/.test(pattern.replaceAll(NAMESPACE_PLACEHOLDER, '')))
      problems.push(warning(path, 'has a placeholder that is not known', NAMESPACE_PLACEHOLDER));
  }
  problems.push(...sharedNameWarnings(spec));
  return problems;
}

/** Warns of patterns in `allowedNames` that allow one namespace the names of another. */
export function sharedNameWarnings(spec: JsonRecord): Problem[] {
  return list(spec['allowedNames']).flatMap((pattern, index) => {
    if (typeof pattern !== 'string' || !letsNeighboursIn(pattern)) return [];
    return warning(
      `spec.allowedNames[${index}]`,
      'lets a namespace such as team bind what is meant for team-a',
      `a character between ${NAMESPACE_PLACEHOLDER} and * that no namespace has: {namespace}.*`,
    );
  });
}

/**
 * True if a pattern with the placeholder allows the same name to two namespaces: the text between placeholder and star
 * may belong to the name of either.
 */
function letsNeighboursIn(pattern: string): boolean {
  const [before = '', ...rest] = pattern.split(NAMESPACE_PLACEHOLDER);
  const after = rest.at(-1);
  if (after === undefined) return false;
  const [left, right] = [before.split('*'), after.split('*')];
  const isOpen = (parts: readonly string[], next: string | undefined): boolean =>
    parts.length > 1 && !OF_NO_NAMESPACE.test(next ?? '');
  return (left.length > 1 && right.length > 1) || isOpen(left, left.at(-1)) || isOpen(right, right[0]);
}

/** Matches a character that the name of a namespace cannot contain. */
const OF_NO_NAMESPACE = /[^a-z0-9-]/;
