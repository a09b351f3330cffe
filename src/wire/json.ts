/** What JSON can carry, as this service sends and takes it. */
export type WireJson = string | number | boolean | null | readonly WireJson[] | WireObject;

/** A JSON object that nobody changes in place. */
export interface WireObject {
  readonly [key: string]: WireJson;
}
