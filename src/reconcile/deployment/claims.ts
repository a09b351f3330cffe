import { sharedText } from '../../base/shared-text.ts';

/**
 * Who is about to bind or to make a deployment. Two resources that mean the same one and are looked at in the same
 * moment both find it free: here the second learns of the first before a status or the watch of it can tell (H25).
 * A bound deployment is known from the status, after a restart as well.
 */
export class Claims {
  readonly #holders = new Map<string, string>();
  readonly #targets = new Map<string, string>();

  /** Claims `target` for a resource, in place of what it claimed before; false where another resource holds it. */
  take(resource: string, target: string): boolean {
    const holder = this.#holders.get(target);
    if (holder !== undefined && holder !== resource) return false;
    this.drop(resource);
    this.#holders.set(target, resource);
    this.#targets.set(resource, target);
    return true;
  }

  /** The resource that claims `target`. */
  holderOf(target: string): string | undefined {
    return this.#holders.get(target);
  }

  /** Ends the claim of a resource. */
  drop(resource: string): void {
    const target = this.#targets.get(resource);
    if (target !== undefined) this.#holders.delete(target);
    this.#targets.delete(resource);
  }
}

/** A deployment as something to claim: an id means the same one in its tenant, whatever address leads to it. */
export function deploymentIn(tenantID: string | undefined, id: string): string {
  return sharedText(`${tenantID ?? ''} id ${id.toLowerCase()}`);
}

/** A name at an address, as something to claim: two creations under it would be one too many. */
export function nameAt(endpoint: string, name: string): string {
  return sharedText(`${endpoint} name ${name}`);
}
