import type { WireObject } from '../../wire/json.ts';
import type { WireProvider } from '../../wire/provider.ts';
import type { WireRepository } from '../../wire/repository.ts';
import type { SemanticsPatch } from '../switches/semantics.ts';

/** A deployment that the service starts with, in the names of section 2.3. */
export interface DeploymentSeed {
  readonly name: string;
  readonly source: string;
  readonly id?: string;
  readonly tenantID?: string;
  readonly sourceConfig: WireObject;
  readonly revisionConfig: WireObject;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly secretReferences: readonly WireObject[] | null;
  readonly imageVersion: string | null;
  /** Shown instead of a computed status. */
  readonly status: string | null;
  readonly hidden: WireObject;
  /** Switches for this deployment alone. */
  readonly semantics?: SemanticsPatch;
}

/** A code-host integration and what it reaches. */
export interface IntegrationSeed {
  readonly id: string;
  readonly repositories: readonly WireRepository[];
}

/** Everything a simulated service starts with. */
export interface ServiceSeed {
  readonly semantics: SemanticsPatch;
  readonly providers: readonly WireProvider[];
  readonly integrations: readonly IntegrationSeed[];
  readonly deployments: readonly DeploymentSeed[];
}

/** A service without anything in it. */
export const EMPTY_SEED: ServiceSeed = { semantics: {}, providers: [], integrations: [], deployments: [] };

/** A deployment seed with everything left out that may be. */
export function deploymentSeed(
  name: string,
  more: Partial<Omit<DeploymentSeed, 'name'>> = {},
): DeploymentSeed {
  return {
    name,
    source: 'external_container',
    sourceConfig: {},
    revisionConfig: {},
    secrets: [],
    secretReferences: null,
    imageVersion: null,
    status: null,
    hidden: {},
    ...more,
  };
}
