import { isJsonObject, type Json } from '../../base/json.ts';
import { withoutCredentialsIn, withoutSensitive } from '../../model/redaction/sensitive.ts';

/** Members that this program makes from redacted values, or that are commands for a person to copy. */
const OURS: ReadonlySet<string> = new Set(['manifest', 'shows', 'command', 'hash', 'resourceVersion']);

/** Returns a screen in which no text from any origin looks like a credential, or contains one in a URL. */
export function shownSafely<Screen extends object>(screen: Screen): Screen {
  return cleaned(screen as unknown as Json, '') as unknown as Screen;
}

function cleaned(value: Json, name: string): Json {
  if (typeof value === 'string') return OURS.has(name) ? value : withoutCredentialsIn(value);
  if (typeof value !== 'object' || value === null) return value;
  // A label may have the same name as one of the members above, and its name may show that its value is a secret.
  if (name === 'labels') return labelsOf(withoutSensitive({ labels: value }));
  if (Array.isArray(value)) return value.map((item: Json) => cleaned(item, name));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cleaned(member, key)]));
}

function labelsOf(shown: Json): Json {
  return isJsonObject(shown) ? (shown['labels'] ?? null) : null;
}
