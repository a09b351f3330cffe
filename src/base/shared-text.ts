const NAMES: Record<string, unknown> = Object.create(null) as Record<string, unknown>;

/**
 * The same text, held once however many objects and maps hold an equal one. The engine keeps one copy of every name of a
 * property, for as long as something holds it, so that a text which was a name for a moment is that copy. A fleet repeats
 * much: the key of a resource stands in a dozen maps, and an image in every resource of a team.
 */
export function sharedText(text: string): string {
  NAMES[text] = undefined;
  // Otherwise the names would stay.
  Reflect.deleteProperty(NAMES, text);
  return text;
}
