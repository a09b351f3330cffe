/** A repository reachable through a code-host integration (2.2); all fields are required. */
export interface WireRepository {
  /** The code-host integration. Becomes `source_config.integration_id` of a creation. */
  readonly host_integration_id: string;
  /** An integer of the code host that may exceed 2^53, so it is never used as a key. */
  readonly id: number;
  readonly name: string;
  readonly owner: string;
  /** Becomes `source_config.repo_url` of a creation. */
  readonly url: string;
  /** Becomes `source_revision_config.repo_ref` of a creation. */
  readonly default_branch: string;
}
