import { isJsonObject, type Json } from '../../base/json.ts';
import { withoutCredentialsIn, withoutSensitive } from '../../model/redaction/sensitive.ts';

/** Texts that this program makes from redacted values, and commands for a person to copy. */
const OURS: ReadonlySet<string> = new Set(['manifest', 'shows', 'command', 'hash', 'resourceVersion']);

/** A screen in which no text looks like a credential, or carries one in a URL, wherever it came from. */
export function shownSafely<Screen extends object>(screen: Screen): Screen {
  return cleaned(screen as unknown as Json, '') as unknown as Screen;
}

function cleaned(value: Json, name: string): Json {
  if (typeof value === 'string') return OURS.has(name) ? value : withoutCredentialsIn(value);
  if (typeof value !== 'object' || value === null) return value;
  // Anybody may name one like a text of ours, and a name may say that its value is a secret.
  if (name === 'labels') return labelsOf(withoutSensitive({ labels: value }));
  if (Array.isArray(value)) return value.map((item: Json) => cleaned(item, name));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cleaned(member, key)]));
}

function labelsOf(shown: Json): Json {
  return isJsonObject(shown) ? (shown['labels'] ?? null) : null;
}
