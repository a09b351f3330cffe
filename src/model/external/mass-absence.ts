/** Fewer missing deployments are an ordinary day. */
const MANY = 3;

/**
 * True when more than half of the bound deployments, and at least three, are missing from a complete list: rather a
 * credential of another tenant than a mass deletion (H52).
 */
export function isMassAbsence(boundIDs: readonly string[], shown: { has(id: string): boolean }): boolean {
  const missing = boundIDs.filter((id) => !shown.has(id.toLowerCase())).length;
  return missing >= MANY && missing > boundIDs.length / 2;
}
