import { sharedText } from '../../base/shared-text.ts';

/**
 * Records which resource is about to bind or create a deployment. Two resources that name the same deployment at the
 * same moment both find it free; the second learns of the first here, before a status or its watch shows it (H25). A
 * bound deployment needs no record: the status names it, also after a restart.
 */
export class Claims {
  readonly #holders = new Map<string, string>();
  readonly #targets = new Map<string, string>();

  /** Claims `target` for a resource, in place of its earlier claim; returns false if another resource holds it. */
  take(resource: string, target: string): boolean {
    const holder = this.#holders.get(target);
    if (holder !== undefined && holder !== resource) return false;
    this.drop(resource);
    this.#holders.set(target, resource);
    this.#targets.set(resource, target);
    return true;
  }

  /** Returns the resource that claims `target`. */
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

/** Returns the claim target for an id: an id names the same deployment in its tenant, whatever the address. */
export function deploymentIn(tenantID: string | undefined, id: string): string {
  return sharedText(`${tenantID ?? ''} id ${id.toLowerCase()}`);
}

/** Returns the claim target for a name at an address: two creations under one name would be one too many. */
export function nameAt(endpoint: string, name: string): string {
  return sharedText(`${endpoint} name ${name}`);
}
