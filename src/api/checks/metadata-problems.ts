import { error, isRecord, join, type Problem, record } from '../problem.ts';

/** Matches a name without dots, such as that of a namespace. It has at most 63 characters. */
export const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
/** Matches a name that may contain dots. It has at most 253 characters. */
export const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** Matches the value of a label, and the part of a key after the slash. It has at most 63 characters. */
export const QUALIFIED = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const NAME_TEXT = 'lower-case letters, digits, hyphens and dots, at most 253 characters';

/** Checks names, namespaces, labels and annotations against the rules of Kubernetes. The schema checks their types. */
export function metadataProblems(metadata: unknown): Problem[] {
  const { name, generateName, namespace, labels, annotations } = record(metadata);
  const problems: Problem[] = [];
  if (name === undefined && generateName === undefined)
    problems.push(error('metadata.name', 'is missing', NAME_TEXT));
  if (typeof name === 'string' && !(name.length <= 253 && SUBDOMAIN.test(name))) {
    problems.push(error('metadata.name', 'is not a name that Kubernetes accepts', NAME_TEXT));
  }
  if (typeof namespace === 'string' && !(namespace.length <= 63 && LABEL.test(namespace))) {
    const expected = 'lower-case letters, digits and hyphens, at most 63 characters';
    problems.push(error('metadata.namespace', 'is not a name that Kubernetes accepts', expected));
  }
  problems.push(
    ...keyProblems('metadata.labels', labels),
    ...keyProblems('metadata.annotations', annotations),
  );
  for (const [key, value] of Object.entries(record(labels))) {
    if (typeof value !== 'string' || value === '' || (value.length <= 63 && QUALIFIED.test(value))) continue;
    const expected = 'letters, digits, hyphens, underscores and dots, at most 63 characters';
    problems.push(error(join('metadata.labels', key), 'is not a label value', expected));
  }
  return problems;
}

function keyProblems(path: string, map: unknown): Problem[] {
  if (!isRecord(map)) return [];
  const wrong = Object.keys(map).filter((key) => !isQualifiedName(key));
  const expected = 'a name, or a domain, a slash and a name, such as example.com/team';
  return wrong.map((key) => error(join(path, key), 'is not a key that Kubernetes accepts', expected));
}

function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '').toLowerCase() : undefined;
  if (parts.length > 2 || name.length > 63 || !QUALIFIED.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix));
}
