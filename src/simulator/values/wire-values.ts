import type { WireJson, WireObject } from '../../wire/wire-json.ts';

/** True for a JSON object of the wire, not for null and not for a list. */
export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list a value is, or nothing where it is not one. */
export function listOf(value: WireJson | undefined): readonly WireJson[] {
  return Array.isArray(value) ? (value as readonly WireJson[]) : [];
}

/** The object a value is, or an empty one. */
export function objectOf(value: WireJson | undefined): WireObject {
  return isWireObject(value) ? value : {};
}

/** The text a value is, or an empty one. */
export function textOf(value: WireJson | undefined): string {
  return typeof value === 'string' ? value : '';
}
