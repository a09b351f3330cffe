import { ExpectedError } from '../base/expected-error.ts';
import { ConnectionError, FailureError } from '../model/connection/failure.ts';
import type { Redact } from '../model/redaction/redact.ts';
import { SecretValue } from '../base/secret-value.ts';

const MARK = '[redacted]';

/** The deepest level that is logged, deep enough for all our fields. Deeper values and cycles are omitted. */
const DEEPEST = 6;

const MOST_ITEMS = 100;

/** Matches names whose values are never logged, since they may contain a credential or a value of a user. */
const SECRET_NAMES =
  /^(?:.*authorization|(?:set-?)?cookies?|(?:.*-)?headers?|body|(?:string)?data|values?|.*passw(?:or)?d|.*tokens?|.*secrets?|.*credentials?|.*private-?key|.*api-?key)$/i;

/** Options for making values loggable. */
export interface LogValueRules {
  readonly redact: Redact;
  /** True to include the stack of unexpected errors. */
  readonly withStacks: boolean;
}

/**
 * Returns a copy of a log field that is safe to print and contains only JSON. Redacts texts, reduces errors to known
 * fields, and hides values under secret names and objects of unknown classes.
 */
export function loggable(value: unknown, rules: LogValueRules, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return rules.redact(value);
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : loggableObject(value, rules, depth);
    default:
      return undefined;
  }
}

function loggableObject(value: object, rules: LogValueRules, depth: number): unknown {
  if (value instanceof SecretValue) return MARK;
  if (value instanceof Error) return loggableError(value, rules, depth);
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return loggableItems(value, rules, depth);
  if (value instanceof Set) return loggableItems(Array.from(value), rules, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `[${value.constructor.name}]`;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET_NAMES.test(name) && inner !== undefined ? MARK : loggable(inner, rules, depth + 1),
    ]),
  );
}

function loggableItems(items: readonly unknown[], rules: LogValueRules, depth: number): unknown[] {
  const shown = items.slice(0, MOST_ITEMS).map((item) => loggable(item, rules, depth + 1));
  return items.length > MOST_ITEMS ? [...shown, `[${items.length - MOST_ITEMS} more]`] : shown;
}

/**
 * Returns the known fields of an error. Does not copy its own properties, since libraries attach requests with their
 * headers to errors.
 */
function loggableError(error: Error, rules: LogValueRules, depth: number): unknown {
  const { name, message, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  const status: unknown = 'status' in error ? error.status : undefined;
  const inner = error instanceof AggregateError ? error.errors : [];
  return {
    name,
    message: rules.redact(message),
    ...(typeof code === 'string' ? { code: rules.redact(code) } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(error instanceof FailureError ? { kind: error.failure.kind, reason: error.failure.reason } : {}),
    ...(rules.withStacks && !isExpected(error) ? { stack: framesOf(error, rules) } : {}),
    ...(cause !== undefined && depth < DEEPEST ? { cause: loggable(cause, rules, depth + 1) } : {}),
    ...(inner.length > 0 && depth < DEEPEST ? { errors: loggableItems(inner, rules, depth) } : {}),
  };
}

/** True for a failure with a known reason. Its stack would add nothing. */
function isExpected(error: Error): boolean {
  return [FailureError, ConnectionError, ExpectedError].some((kind) => error instanceof kind);
}

/**
 * Returns only the stack frames. The lines above them repeat the message, in pieces that a redactor may not recognise.
 */
function framesOf(error: Error, rules: LogValueRules): readonly string[] {
  const lines = error.stack?.split('\n') ?? [];
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => rules.redact(line));
}
