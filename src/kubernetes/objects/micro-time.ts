/** A time as MicroTime fields of the API want it: with six digits. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
