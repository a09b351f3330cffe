import type { WireJson, WireObject } from '../../wire/wire-json.ts';

/** True for a JSON object of the wire; false for null and for a list. */
export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a list, and otherwise an empty list. */
export function listOf(value: WireJson | undefined): readonly WireJson[] {
  return Array.isArray(value) ? (value as readonly WireJson[]) : [];
}

/** Returns the value if it is an object, and otherwise an empty one. */
export function objectOf(value: WireJson | undefined): WireObject {
  return isWireObject(value) ? value : {};
}

/** Returns the value if it is a text, and otherwise an empty one. */
export function textOf(value: WireJson | undefined): string {
  return typeof value === 'string' ? value : '';
}
