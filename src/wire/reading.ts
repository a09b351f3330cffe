import type { WireJson, WireObject } from './wire-json.ts';

/** A test for the values of a field, and a description of them. */
export interface Check {
  readonly expected: string;
  readonly test: (value: WireJson | undefined) => boolean;
}

/** Accepts every value. */
export const ANY: Check = { expected: 'anything', test: () => true };

/** Accepts a string. */
export const TEXT: Check = { expected: 'a string', test: (value) => typeof value === 'string' };

/** Accepts an id. Ids are compared and stored unchanged, so they must be short and printable. */
export const ID: Check = {
  expected: 'a short id',
  test: (value) => typeof value === 'string' && /^\P{C}{0,128}$/u.test(value),
};

/** Accepts an id for the path of a request. `.` and `..` would change the path to the list, or to a place above it. */
export const ID_IN_PATH: Check = {
  expected: ID.expected,
  test: (value) => ID.test(value) && value !== '.' && value !== '..',
};

/** Accepts a number that JSON text can represent. */
export const NUMBER: Check = { expected: 'a number', test: (value) => Number.isFinite(value) };

/** Accepts true and false. */
export const FLAG: Check = { expected: 'a boolean', test: (value) => typeof value === 'boolean' };

/** Accepts an object, but not null or a list. */
export const OBJECT: Check = {
  expected: 'an object',
  test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Accepts a list. */
export const LIST: Check = { expected: 'a list', test: (value) => Array.isArray(value) };

/** Accepts a list of objects. */
export const OBJECTS: Check = {
  expected: 'a list of objects',
  test: (value) => Array.isArray(value) && value.every((item: WireJson) => OBJECT.test(item)),
};

/** Keys that would change the prototype of an object that is built from them. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The deepest nesting that is accepted, deeper than any object of the specification. A deeper one could exhaust the
 * stack.
 */
const MAX_DEPTH = 64;

/** The longest description of a place, since its keys come from the service. */
const LONGEST_PLACE = 120;

/** The most fields outside the specification that are counted. */
export const MOST_UNKNOWN_FIELDS = 1000;

/** The reason why an item is unusable. */
class Problem extends Error {
  constructor(place: string, what: string) {
    const shown = place.length > LONGEST_PLACE ? `${place.slice(0, LONGEST_PLACE).toWellFormed()}…` : place;
    super(`${shown}: ${what}`);
  }
}

/** Returns the message of an error that a `Reading` threw. Throws any other error again. */
export function problemIn(error: unknown): string {
  if (error instanceof Problem) return error.message;
  throw error;
}

/** True for a value that is nested too deeply for any usable item. */
export function isTooDeep(value: WireJson, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > MAX_DEPTH || Object.values(value).some((member: WireJson) => isTooDeep(member, depth + 1));
}

function hasLostDigits(value: WireJson): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** True for a value in which a number, at any depth, may have lost digits. */
function isRounded(value: WireJson): boolean {
  if (typeof value !== 'object' || value === null) return hasLostDigits(value);
  return Object.values(value).some(isRounded);
}

/** Reads objects of unknown shape, and counts unknown fields. Throws a `Problem` for an unusable object. */
export class Reading {
  readonly unknownFields = new Map<string, number>();

  /** Returns the value, which must be an object. */
  object(value: WireJson, path: string): WireObject {
    if (!OBJECT.test(value)) throw new Problem(path === '' ? 'item' : path, 'expected an object');
    return value as WireObject;
  }

  /** Returns the fields of an object that the table names, each null or as the table requires. Counts the others. */
  known(object: WireObject, table: ReadonlyMap<string, Check>, path: string): WireObject {
    this.check(object, table, path);
    return Object.fromEntries(Object.entries(object).filter(([key]) => table.has(key)));
  }

  /** Checks the fields that the table names, and counts the others. */
  check(object: WireObject, table: ReadonlyMap<string, Check>, path: string): void {
    for (const [key, value] of Object.entries(object)) {
      const check = table.get(key);
      if (check === undefined) this.#count(`${path.replaceAll(/\[\d+\]/g, '[]')}${key}`);
      else if (value !== null && !check.test(value))
        throw new Problem(`${path}${key}`, `expected ${check.expected}`);
    }
  }

  /** Throws if a field is absent, null or an empty string. */
  require(object: WireObject, names: readonly string[], path = ''): void {
    for (const name of names) {
      const value = object[name];
      if (value === undefined || value === null || value === '')
        throw new Problem(`${path}${name}`, 'is missing');
    }
  }

  /**
   * Refuses keys that reach into prototypes, at any depth, since dropping them would change the object that is sent
   * back. Also refuses numbers that cannot be sent back.
   */
  refuseUnsafe(value: WireJson, path: string, depth = 0): void {
    // 1e400 is valid JSON and becomes Infinity, which JSON writes as null: sending it back would empty the field.
    if (value === Infinity || value === -Infinity) throw new Problem(path.slice(0, -1), 'expected a number');
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) throw new Problem(path, 'is nested too deeply');
    for (const key of Object.keys(value)) {
      if (UNSAFE_KEYS.has(key)) throw new Problem(`${path}${key}`, 'is a key that cannot be taken over');
      const member = (value as WireObject)[key];
      // Strings need no check, and there may be very many of them.
      if (typeof member === 'object' || typeof member === 'number')
        this.refuseUnsafe(member, `${path}${key}.`, depth + 1);
    }
  }

  /**
   * Refuses integers above 2^53 at any depth: they may have lost digits during parsing, so the operator would send back
   * a different value.
   */
  refuseRounded(value: WireJson, path: string): void {
    if (hasLostDigits(value)) throw new Problem(path, 'has more digits than can be sent back');
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      const member = (value as WireObject)[key];
      if (typeof member === 'object' || typeof member === 'number')
        this.refuseRounded(member, `${path}.${key}`);
    }
  }

  /** Returns an object without the unknown keys whose values cannot be sent back unchanged. */
  sendable(object: WireObject, table: ReadonlyMap<string, Check>): WireObject {
    return Object.fromEntries(
      Object.entries(object).filter(([key, value]) => table.has(key) || !isRounded(value)),
    );
  }

  #count(field: string): void {
    // Field names come from the service, so their number and length must be limited.
    const name = field.slice(0, LONGEST_PLACE).toWellFormed();
    if (this.unknownFields.size < MOST_UNKNOWN_FIELDS || this.unknownFields.has(name)) {
      this.unknownFields.set(name, (this.unknownFields.get(name) ?? 0) + 1);
    }
  }
}
