import type { WireJson, WireObject } from './wire-json.ts';

/** The values that a field may hold, and the words for them. */
export interface Check {
  readonly expected: string;
  readonly test: (value: WireJson | undefined) => boolean;
}

/** Whatever there is. */
export const ANY: Check = { expected: 'anything', test: () => true };

/** A string. */
export const TEXT: Check = { expected: 'a string', test: (value) => typeof value === 'string' };

/** A text that identifies something: it is compared and remembered as it is, so it must be short and fit to be shown. */
export const ID: Check = {
  expected: 'a short id',
  test: (value) => typeof value === 'string' && /^\P{C}{0,128}$/u.test(value),
};

/** An id that stands in the path of a request, where `.` and `..` would lead to another place: to the list, or above it. */
export const ID_IN_PATH: Check = {
  expected: ID.expected,
  test: (value) => ID.test(value) && value !== '.' && value !== '..',
};

/** A number that JSON text can carry back. */
export const NUMBER: Check = { expected: 'a number', test: (value) => Number.isFinite(value) };

/** True or false. */
export const FLAG: Check = { expected: 'a boolean', test: (value) => typeof value === 'boolean' };

/** An object, not null and not a list. */
export const OBJECT: Check = {
  expected: 'an object',
  test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** A list. */
export const LIST: Check = { expected: 'a list', test: (value) => Array.isArray(value) };

/** A list of objects. */
export const OBJECTS: Check = {
  expected: 'a list of objects',
  test: (value) => Array.isArray(value) && value.every((item: WireJson) => OBJECT.test(item)),
};

/** Keys that would reach into the prototype of an object that is built from them. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Deeper than any object of the specification; a deeper one could exhaust the stack. */
const MAX_DEPTH = 64;

/** Keys come from the service, so the description of a place has a bound. */
const LONGEST_PLACE = 120;

/** Fields that are remembered although the specification does not name them. */
export const MOST_UNKNOWN_FIELDS = 1000;

/** Why an item cannot be used. */
class Problem extends Error {
  constructor(place: string, what: string) {
    const shown = place.length > LONGEST_PLACE ? `${place.slice(0, LONGEST_PLACE).toWellFormed()}…` : place;
    super(`${shown}: ${what}`);
  }
}

/** Returns the fault that an error of a `Reading` describes; throws any other error again. */
export function problemIn(error: unknown): string {
  if (error instanceof Problem) return error.message;
  throw error;
}

/** True for what is deeper than any item can be and be used. */
export function isTooDeep(value: WireJson, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > MAX_DEPTH || Object.values(value).some((member: WireJson) => isTooDeep(member, depth + 1));
}

function hasLostDigits(value: WireJson): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** True for a value in which a number may have lost digits, at any depth. */
function isRounded(value: WireJson): boolean {
  if (typeof value !== 'object' || value === null) return hasLostDigits(value);
  return Object.values(value).some(isRounded);
}

/** Reads objects of unknown shape, and counts the fields it does not know. What cannot be read is thrown. */
export class Reading {
  readonly unknownFields = new Map<string, number>();

  /** The value, which must be an object. */
  object(value: WireJson, path: string): WireObject {
    if (!OBJECT.test(value)) throw new Problem(path === '' ? 'item' : path, 'expected an object');
    return value as WireObject;
  }

  /** The fields of an object that a table names, each null or as the table says; the others are counted. */
  known(object: WireObject, table: ReadonlyMap<string, Check>, path: string): WireObject {
    this.check(object, table, path);
    return Object.fromEntries(Object.entries(object).filter(([key]) => table.has(key)));
  }

  /** Checks the fields that a table names and counts the others. */
  check(object: WireObject, table: ReadonlyMap<string, Check>, path: string): void {
    for (const [key, value] of Object.entries(object)) {
      const check = table.get(key);
      if (check === undefined) this.#count(`${path.replaceAll(/\[\d+\]/g, '[]')}${key}`);
      else if (value !== null && !check.test(value))
        throw new Problem(`${path}${key}`, `expected ${check.expected}`);
    }
  }

  /** Fields that must be there: not missing, not null, not an empty string. */
  require(object: WireObject, names: readonly string[], path = ''): void {
    for (const name of names) {
      const value = object[name];
      if (value === undefined || value === null || value === '')
        throw new Problem(`${path}${name}`, 'is missing');
    }
  }

  /**
   * Keys that reach into prototypes are refused at any depth, since dropping them would change what is sent back; so are
   * numbers that cannot be sent back.
   */
  refuseUnsafe(value: WireJson, path: string, depth = 0): void {
    // 1e400 is JSON and becomes Infinity, which JSON sends back as null: the value would be emptied.
    if (value === Infinity || value === -Infinity) throw new Problem(path.slice(0, -1), 'expected a number');
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) throw new Problem(path, 'is nested too deeply');
    for (const key of Object.keys(value)) {
      if (UNSAFE_KEYS.has(key)) throw new Problem(`${path}${key}`, 'is a key that cannot be taken over');
      const member = (value as WireObject)[key];
      // Texts need no look, and there may be very many of them.
      if (typeof member === 'object' || typeof member === 'number')
        this.refuseUnsafe(member, `${path}${key}.`, depth + 1);
    }
  }

  /**
   * Refuses integers above 2^53 at any depth: they may have lost digits when they were parsed, and the
   * operator would send back another value than the one that was shown.
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

  /** An object without the keys that no table names and that could not be sent back as they were shown. */
  sendable(object: WireObject, table: ReadonlyMap<string, Check>): WireObject {
    return Object.fromEntries(
      Object.entries(object).filter(([key, value]) => table.has(key) || !isRounded(value)),
    );
  }

  #count(field: string): void {
    // The names come from the service, so that their number and their length have to be bounded.
    const name = field.slice(0, LONGEST_PLACE).toWellFormed();
    if (this.unknownFields.size < MOST_UNKNOWN_FIELDS || this.unknownFields.has(name)) {
      this.unknownFields.set(name, (this.unknownFields.get(name) ?? 0) + 1);
    }
  }
}
