import { NAMESPACE_PLACEHOLDER } from '../../api/connection.ts';

/**
 * True when a deployment of this name may be bound from this namespace: one pattern matches all of it, with `*` for
 * any text. Absent patterns allow every name, an empty list none.
 */
export function isAllowedName(
  name: string,
  patterns: readonly string[] | undefined,
  namespace: string,
): boolean {
  if (patterns === undefined) return true;
  return patterns.some((pattern) =>
    matchesPattern(name, pattern.replaceAll(NAMESPACE_PLACEHOLDER, namespace)),
  );
}

/**
 * True where a pattern matches all of a name, with `*` for any text. In one walk over the name, whatever the pattern: a
 * regular expression with many stars could take for ever.
 */
export function matchesPattern(name: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return name === head;
  if (!name.startsWith(head) || !name.endsWith(tail)) return false;
  let position = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return position <= name.length - tail.length;
}
