import { carriesCredential, looksLikeCredential } from '../../api/credential.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { type Redact, SHOWN_WHOLE } from './redact.ts';
import { SecretValue } from '../../base/secret-value.ts';
import { withMarkedCredentials } from '../../base/url-text.ts';

/** The shortest command that may contain a token; shorter ones are everyday words. */
const SHORTEST_COMMAND = 8;

/** Members that contain commands: those of a source config and of a container, under both their names. */
const COMMANDS: ReadonlySet<string> = new Set([
  'installCommand',
  'buildCommand',
  'install_command',
  'build_command',
  'command',
  'args',
]);

/**
 * Returns everything in sent or shown data that may be secret, at any depth: values of secrets and of container
 * environments, commands, and the login or token of a URL. A status shows none of it, so the text of an error may not
 * repeat it either.
 */
export function sensitiveIn(...things: readonly unknown[]): readonly SecretValue[] {
  const found: SecretValue[] = [];
  for (const thing of things) collect(thing, '', found);
  return found;
}

function collect(value: unknown, key: string, found: SecretValue[]): void {
  if (value instanceof SecretValue) found.push(value);
  else if (typeof value === 'string') collectText(value, key, found);
  else if (Array.isArray(value))
    for (const item of value as readonly unknown[]) collectItem(item, key, found);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) collect(member, name, found);
}

function collectItem(item: unknown, key: string, found: SecretValue[]): void {
  if (key === 'env' && typeof item === 'object' && item !== null && 'value' in item) {
    if (typeof item.value === 'string') found.push(new SecretValue(item.value));
  }
  collect(item, key, found);
}

function collectText(text: string, key: string, found: SecretValue[]): void {
  if (COMMANDS.has(key) && text.length >= SHORTEST_COMMAND) found.push(new SecretValue(text));
  const [, login, query] = /^[a-z][a-z0-9+.-]*:\/\/(?:([^/@]*)@)?[^?#]*(?:\?([^#]*))?/i.exec(text) ?? [];
  for (const part of [login, ...(login?.split(':') ?? []), query]) {
    if (part !== undefined && part !== '') found.push(new SecretValue(part));
  }
}

/** The placeholder for hidden values. */
const HIDDEN = '[redacted]';

/** Members whose items have a hidden value; in a request, secrets are plain texts. */
const VALUE_LISTS: ReadonlySet<string> = new Set(['env', 'secrets']);

/** Members with freely chosen names, which describe their values. */
const FREE_MAPS: ReadonlySet<string> = new Set(['annotations', 'labels']);

/**
 * Returns a copy of sent or declared data for people. Hides values of secrets and of container environments, commands,
 * the login or token of a URL, and every text that looks like a credential. Applies `redact` to all other texts and to
 * every name of a member.
 */
export function withoutSensitive(value: Json, redact: Redact = (text) => text): Json {
  return hidden(value, redact, '');
}

function hidden(value: Json, redact: Redact, key: string): Json {
  if (typeof value === 'string') return COMMANDS.has(key) ? HIDDEN : hiddenText(value, redact);
  if (Array.isArray(value)) return value.map((item: Json) => withoutItemValue(item, redact, key));
  if (!isJsonObject(value)) return value;
  const times = new Map<string, number>();
  const members = Object.entries(value).map(([name, member]) => {
    const shown = redact(name);
    const count = (times.get(shown) ?? 0) + 1;
    times.set(shown, count);
    const hides = FREE_MAPS.has(key) && looksLikeCredential(name, member);
    // If several names are hidden in the same way, none may replace another.
    return [
      count === 1 ? shown : `${shown} (${count})`,
      hides ? HIDDEN : hidden(member, redact, name),
    ] as const;
  });
  return Object.fromEntries(members);
}

function withoutItemValue(item: Json, redact: Redact, key: string): Json {
  const hides = VALUE_LISTS.has(key) && isJsonObject(item) && typeof item['value'] === 'string';
  return hidden(hides ? { ...item, value: HIDDEN } : item, redact, key);
}

/** Returns a single text without anything that looks like a credential, and without the credential of a URL. */
export function withoutCredentialsIn(text: string): string {
  return hiddenText(text, SHOWN_WHOLE);
}

function hiddenText(text: string, redact: Redact): string {
  const shown = withMarkedCredentials(text, HIDDEN);
  return carriesCredential(shown.replaceAll(HIDDEN, '')) ? HIDDEN : redact(shown);
}
