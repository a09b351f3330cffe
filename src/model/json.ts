/** What JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object that nobody changes in place. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a JSON object, not for null and not for a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
