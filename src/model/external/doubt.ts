/** A deployment that the list of a connection should show, with the pins from its binding. */
export interface Expected {
  readonly id: string;
  /** The pinned tenant; absent if none was ever shown. */
  readonly tenantID?: string | undefined;
  /** The address at which it was bound. */
  readonly endpoint?: string | undefined;
}

/** A reason to distrust a whole connection: its list is probably that of another tenant (H27, H52). */
export type Doubt = 'MassAbsence' | 'TenantChanged';

/** True if a reason is a doubt. */
export function isDoubt(reason: string | undefined): reason is Doubt {
  return reason === 'MassAbsence' || reason === 'TenantChanged';
}

/** The deployments that a read of the whole list showed, by id in lower case. */
export type ShownByID = ReadonlyMap<string, { readonly tenantID?: string }>;

/** The tenants whose deployments a read of the whole list showed. */
export interface ShownTenants {
  readonly known: ReadonlySet<string>;
  /** True if the list has deployments, and all of them name their tenants. */
  readonly complete: boolean;
  /** The pinned tenants of deployments that are now shown under another tenant. */
  readonly left: ReadonlySet<string>;
}

/**
 * Returns the tenants whose deployments are shown. A list may not name them (2.3 requires `tenant_id`, which older
 * lists leave out).
 */
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
 * True if a list shows nothing of a tenant for a reason: all deployments belong to others, or a deployment that was
 * bound in this tenant is shown under another one (R14).
 */
export function isOfOthers({ known, complete, left }: ShownTenants, tenantID: string): boolean {
  return !known.has(tenantID) && (complete || left.has(tenantID));
}

/**
 * Returns the doubt about a connection, or undefined. `TenantChanged`, once reported, stays until the list shows a
 * tenant to which something is pinned: an empty list does not prove that the credential is right again. If the list
 * still shows some of several pinned tenants, only the resources of the missing tenants are in doubt, and report that
 * themselves.
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

/** True if a list shows a deployment, and does not show it under another tenant. */
function isShownAsPinned({ id, tenantID }: Expected, shown: ShownByID): boolean {
  const found = shown.get(id.toLowerCase());
  if (found === undefined) return false;
  return tenantID === undefined || found.tenantID === undefined || found.tenantID === tenantID;
}

/** The least number of missing deployments that raises a doubt; fewer are normal. */
const MANY = 3;

/**
 * True if more than half of the bound deployments, and at least three, are missing from a complete list: a credential
 * of another tenant is more likely than a mass deletion (H52).
 */
function isMassAbsence(boundIDs: readonly string[], shown: { has(id: string): boolean }): boolean {
  const missing = boundIDs.filter((id) => !shown.has(id.toLowerCase())).length;
  return missing >= MANY && missing > boundIDs.length / 2;
}
