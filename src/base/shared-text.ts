const NAMES: Record<string, unknown> = Object.create(null) as Record<string, unknown>;

/**
 * Returns an equal text that is stored once, however many objects and maps contain it. The engine keeps one copy of
 * every property name while anything refers to it, so a text that is briefly a property name becomes that copy. A fleet
 * repeats many texts: the key of a resource is in a dozen maps, and an image in every resource of a team.
 */
export function sharedText(text: string): string {
  NAMES[text] = undefined;
  // Without this, the names would never be freed.
  Reflect.deleteProperty(NAMES, text);
  return text;
}
