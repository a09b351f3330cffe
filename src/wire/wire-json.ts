/** A JSON value, as this service sends and accepts it. */
export type WireJson = string | number | boolean | null | readonly WireJson[] | WireObject;

/** A JSON object that is never changed in place. */
export interface WireObject {
  readonly [key: string]: WireJson;
}
