/** Condition types of the resources of this project. They are stable, because tools depend on them. */
export type ConditionType = 'Ready' | 'Synced' | 'Reconciling' | 'Stalled' | 'InUse';

/** One condition as Kubernetes defines it. Its times are RFC 3339 texts. */
export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/** Reasons of `Synced`, and of `Ready` when it does not depend on a rollout. */
export const SYNCED_REASONS = [
  'Paused',
  'Deleting',
  'DeleteNotSupported',
  'BeingDeleted',
  'ConnectionNotFound',
  'ConnectionNotReady',
  'ConnectionChanged',
  'TenantChanged',
  'NameNotAllowed',
  'InvalidSpec',
  'SourceMismatch',
  'AmbiguousName',
  'NameTaken',
  'NotFound',
  'OwnershipConflict',
  'Unreadable',
  'CreatePending',
  'NotVisibleYet',
  'ProviderMissing',
  'RepositoryNotFound',
  'SecretMissing',
  'ImmutableFieldChanged',
  'SemanticsMismatch',
  'UnmanagedSecretsPresent',
  'SecretVisibilityUnproven',
  'FieldNotClearable',
  'NotConverging',
  'RevisionBudgetExhausted',
  'DriftCorrectionSuspended',
  'Rejected',
  'TooLarge',
  'Forbidden',
  'AwaitingApproval',
  'DriftReported',
  'Differs',
  'Pending',
  'Sent',
  'OutcomeUnknown',
  'Retrying',
  'InSync',
] as const;

/** Reasons of `Ready` when it depends on the rollout of the newest revision. */
export const ROLLOUT_REASONS = [
  'Active',
  'ActiveStatusNotShown',
  'RolloutInProgress',
  'AwaitingDatabase',
  'DeadlineExceeded',
  'NoRevision',
  'Unused',
  'UnknownState',
] as const;

/** Reasons of `Ready` on a Connection or ClusterConnection. */
export const CONNECTION_REASONS = [
  'Ok',
  'RateLimited',
  'Timeout',
  'SecretMissing',
  'Unreachable',
  'AuthFailed',
  'Forbidden',
  'NotJSON',
  'Redirected',
  'ProtocolError',
  'HostNotAllowed',
  'AddressRefused',
  'ProxyNeedsAllowedHosts',
  'ProxyAuthFailed',
  'TLSFailed',
  'MassAbsence',
  'TenantChanged',
  'Suspended',
  'Pending',
] as const;

/** A reason of `Synced`, and of `Ready` when it does not depend on a rollout. */
export type SyncedReason = (typeof SYNCED_REASONS)[number];
/** A reason of `Ready` when it depends on the rollout of the newest revision. */
export type RolloutReason = (typeof ROLLOUT_REASONS)[number];
/** A reason of `Ready` on a connection of either kind. */
export type ConnectionReason = (typeof CONNECTION_REASONS)[number];

/** The only reason of `InUse`, on a connection whose requested deletion has to wait. */
export const IN_USE = 'InUse';

/** Every reason that a condition of this project can have. The list is closed. */
export type Reason = SyncedReason | RolloutReason | ConnectionReason | typeof IN_USE;
