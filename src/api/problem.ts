/** Something about a manifest that a person should know. It never carries a value that could be a credential. */
export interface Problem {
  /** Where, such as `spec.sourceConfig.repoURL` or `spec.secrets[2].name`; '' for the document itself. */
  readonly path: string;
  /** The fault. */
  readonly message: string;
  /** The text, value or shape that is expected instead. */
  readonly expected: string;
  /** An error is refused by the API server or by the controller; a warning is not. */
  readonly severity: 'error' | 'warning';
}

/** An object with text keys, as JSON and YAML give it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A problem that makes the manifest unusable. */
export function error(path: string, message: string, expected: string): Problem {
  return { path, message, expected, severity: 'error' };
}

/** A problem that the service, not this project, has to judge. */
export function warning(path: string, message: string, expected: string): Problem {
  return { path, message, expected, severity: 'warning' };
}

/** True for an object, not for null and not for a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object itself, or an empty one: for looking into manifests whose types are not checked yet. */
export function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The list itself, or an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value found by walking down the keys; undefined where one is missing. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) found = Object.hasOwn(record(found), key) ? record(found)[key] : undefined;
  return found;
}

/** A path with one more key; keys that are not plain words stand in brackets and quotes. */
export function join(path: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
