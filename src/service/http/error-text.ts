import { answerJson } from '../limits/answer-json.ts';

/** Where services of this family put what went wrong, first match wins; none of it is documented (section 7). */
const PLACES: readonly ((body: Readonly<Record<string, unknown>>) => unknown)[] = [
  (body) => body['detail'],
  (body) => body['message'],
  (body) => body['error'],
  (body) => member(body['error'], 'message'),
  (body) => member(Array.isArray(body['errors']) ? body['errors'][0] : undefined, 'message'),
  (body) => body['title'],
];

/**
 * The text for people in an error answer, not yet redacted; undefined where it has none. With `onlyProblems` a plain
 * text is left out: it may quote a part of the request, which no redactor recognises.
 */
export function errorText(
  body: string,
  { onlyProblems = false }: { readonly onlyProblems?: boolean } = {},
): string | undefined {
  const json = answerJson(body);
  if (typeof json !== 'object' || json === null) return undefined;
  for (const place of PLACES) {
    const found = place(json as Readonly<Record<string, unknown>>);
    const text = problemsIn(found) ?? (onlyProblems ? undefined : plainText(found));
    if (text !== undefined) return text;
  }
  return undefined;
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A list of problems, of which only the place and the message are taken: their `input` echoes the request. */
function problemsIn(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.flatMap((item: unknown) => {
    const [loc, msg] = [member(item, 'loc'), member(item, 'msg')];
    if (typeof msg !== 'string') return [];
    return [Array.isArray(loc) ? `${loc.filter(isPlace).join('.')}: ${msg}` : msg];
  });
  return texts.length === 0 ? undefined : texts.join('; ');
}

function isPlace(part: unknown): boolean {
  return typeof part === 'string' || typeof part === 'number';
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
