/** A deployment that the list behind a connection should show, as it was pinned when it was bound. */
export interface Expected {
  readonly id: string;
  /** Absent where no tenant was ever shown. */
  readonly tenantID?: string | undefined;
  /** The address at which it was bound. */
  readonly endpoint?: string | undefined;
}

/** Why a connection as a whole cannot be trusted: its list is probably that of another tenant (H27, H52). */
export type Doubt = 'MassAbsence' | 'TenantChanged';

/** True for the reasons that are doubts. */
export function isDoubt(reason: string | undefined): reason is Doubt {
  return reason === 'MassAbsence' || reason === 'TenantChanged';
}

/** Deployments that a pass over the list showed, by id in lower case. */
export type ShownByID = ReadonlyMap<string, { readonly tenantID?: string }>;

/** Whose deployments a pass over the list showed. */
export interface ShownTenants {
  readonly known: ReadonlySet<string>;
  /** True if there was a deployment, and each of them names its tenant. */
  readonly complete: boolean;
  /** Pinned tenants of deployments that are shown under another one. */
  readonly left: ReadonlySet<string>;
}

/** Whose deployments are shown; a list need not say (2.3 requires `tenant_id`, which older lists leave out). */
export function tenantsShown(expected: readonly Expected[], shown: ShownByID): ShownTenants {
  const tenants = [...shown.values()].map(({ tenantID }) => tenantID);
  const left = expected.filter((one) => shown.has(one.id.toLowerCase()) && !isShownAsPinned(one, shown));
  return {
    known: new Set(tenants.filter((tenant) => tenant !== undefined)),
    complete: tenants.length > 0 && !tenants.includes(undefined),
    left: new Set(left.flatMap(({ tenantID }) => tenantID ?? [])),
  };
}

/**
 * True if a list shows nothing of a tenant, and that is no accident: all deployments belong to others, or one that
 * was bound in this tenant is shown under another one (R14).
 */
export function isOfOthers({ known, complete, left }: ShownTenants, tenantID: string): boolean {
  return !known.has(tenantID) && (complete || left.has(tenantID));
}

/**
 * Returns the doubt about a connection, or undefined. `TenantChanged`, once reported, stays until the list shows a tenant
 * that something is pinned to: an empty list does not show that the credential is the right one again. Where other
 * tenants of several are still shown, only the resources of the missing one are in doubt, and say so themselves.
 */
export function doubtAbout(
  expected: readonly Expected[],
  shown: ShownByID,
  about: { readonly endpoint: string; readonly told: Doubt | undefined },
): Doubt | undefined {
  // A binding at another address says nothing about the tenant of this one (H27).
  const here = expected.filter(({ endpoint = about.endpoint }) => endpoint === about.endpoint);
  if (isTenantChanged(here, shown, about.told)) return 'TenantChanged';
  const ids = expected.map(({ id }) => id);
  return isMassAbsence(ids, shown) ? 'MassAbsence' : undefined;
}

function isTenantChanged(expected: readonly Expected[], shown: ShownByID, told: Doubt | undefined): boolean {
  const pinned = [...new Set(expected.flatMap(({ tenantID }) => tenantID ?? []))];
  const tenants = tenantsShown(expected, shown);
  const isOurs =
    pinned.some((tenant) => tenants.known.has(tenant)) || expected.some((one) => isShownAsPinned(one, shown));
  if (pinned.length === 0 || isOurs) return false;
  return told === 'TenantChanged' || pinned.some((tenant) => isOfOthers(tenants, tenant));
}

/** True if a list shows a deployment, and nothing says that it now belongs to another tenant. */
function isShownAsPinned({ id, tenantID }: Expected, shown: ShownByID): boolean {
  const found = shown.get(id.toLowerCase());
  if (found === undefined) return false;
  return tenantID === undefined || found.tenantID === undefined || found.tenantID === tenantID;
}

/** Fewer missing deployments are an ordinary day. */
const MANY = 3;

/**
 * True when more than half of the bound deployments, and at least three, are missing from a complete list: rather a
 * credential of another tenant than a mass deletion (H52).
 */
function isMassAbsence(boundIDs: readonly string[], shown: { has(id: string): boolean }): boolean {
  const missing = boundIDs.filter((id) => !shown.has(id.toLowerCase())).length;
  return missing >= MANY && missing > boundIDs.length / 2;
}
