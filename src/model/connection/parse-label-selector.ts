import type { NamespaceSelector } from './namespace-selector.ts';

type Requirement = NonNullable<NamespaceSelector['matchExpressions']>[number];

const KEY = '(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?';
const VALUE = '(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?';
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUALITY = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`);
const PRESENCE = new RegExp(`^(!?)\\s*(${KEY})$`);
const ONE_VALUE = new RegExp(`^${VALUE}$`);

/**
 * Parses a label selector in the form of kubectl's `-l`: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`. Returns
 * undefined if the text is none.
 */
export function parseLabelSelector(text: string): NamespaceSelector | undefined {
  const parts = requirementsIn(text).map((part) => requirementOf(part.trim()));
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? { matchExpressions: known } : undefined;
}

/** Returns the parts between commas that are not in parentheses. */
function requirementsIn(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '(' || sign === ')') isInside = sign === '(';
    if (sign !== ',' || isInside) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}

function requirementOf(text: string): Requirement | undefined {
  const [, setKey, setOperator, list] = SET.exec(text) ?? [];
  if (setKey !== undefined) {
    const values = (list ?? '').split(',').map((value) => value.trim());
    if (!values.every((value) => ONE_VALUE.test(value))) return undefined;
    return { key: setKey, operator: setOperator === 'in' ? 'In' : 'NotIn', values };
  }
  const [, key, operator, value] = EQUALITY.exec(text) ?? [];
  if (key !== undefined) return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value ?? ''] };
  const [, not, present] = PRESENCE.exec(text) ?? [];
  return present === undefined
    ? undefined
    : { key: present, operator: not === '!' ? 'DoesNotExist' : 'Exists' };
}
