/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object that is never changed in place. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True if a JSON value has more levels than this. Does not descend any deeper. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels <= 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** True for a JSON object, but not for null or a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
