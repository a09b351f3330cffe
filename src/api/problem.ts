/** A problem in a manifest that a person should know. It never contains a value that could be a credential. */
export interface Problem {
  /** The place, such as `spec.sourceConfig.repoURL` or `spec.secrets[2].name`, or '' for the document itself. */
  readonly path: string;
  /** The fault. */
  readonly message: string;
  /** The text, value or shape that is expected instead. */
  readonly expected: string;
  /** The API server or the controller refuses a manifest with an error, but not one with a warning. */
  readonly severity: 'error' | 'warning';
}

/** An object with string keys, as JSON and YAML produce it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns a problem that makes the manifest unusable. */
export function error(path: string, message: string, expected: string): Problem {
  return { path, message, expected, severity: 'error' };
}

/** Returns a problem that the service, not this project, has to judge. */
export function warning(path: string, message: string, expected: string): Problem {
  return { path, message, expected, severity: 'warning' };
}

/** True for an object, but not for null or a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the object itself, or an empty one for any other value. Use it to read manifests whose types are unchecked.
 */
export function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** Returns the list itself, or an empty one for any other value. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value at a path of keys, or undefined if one of them is missing. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) found = Object.hasOwn(record(found), key) ? record(found)[key] : undefined;
  return found;
}

/** Returns a path extended by one key. A key that is not a plain word is quoted in brackets. */
export function join(path: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
