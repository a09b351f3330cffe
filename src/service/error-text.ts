/** Where services of this family put what went wrong, first match wins; none of it is documented (section 7). */
const PLACES: readonly ((body: Readonly<Record<string, unknown>>) => unknown)[] = [
  (body) => body['detail'],
  (body) => body['message'],
  (body) => body['error'],
  (body) => member(body['error'], 'message'),
  (body) => member(Array.isArray(body['errors']) ? body['errors'][0] : undefined, 'message'),
  (body) => body['title'],
];

/** The text for people in an error answer, not yet redacted; undefined where it has none. */
export function errorText(body: string): string | undefined {
  const json = parsed(body);
  if (typeof json !== 'object' || json === null) return undefined;
  for (const place of PLACES) {
    const text = textOf(place(json as Readonly<Record<string, unknown>>));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A text, or a list of problems of which only the place and the message are taken: their `input` echoes the request. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((item) => {
    const loc = member(item, 'loc');
    const msg = member(item, 'msg');
    return typeof msg === 'string' ? `${Array.isArray(loc) ? `${loc.join('.')}: ` : ''}${msg}` : undefined;
  });
  const said = texts.filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
