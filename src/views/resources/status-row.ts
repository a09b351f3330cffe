import type { Condition } from '../../api/condition.ts';
import { ANNOTATIONS, type DeploymentResource } from '../../api/deployment.ts';

/** The state of one resource for people and scripts. An absent member is unknown, or has no value. */
export interface StatusRow {
  readonly namespace: string;
  readonly name: string;
  readonly ready: Condition['status'] | undefined;
  readonly synced: Condition['status'] | undefined;
  readonly reason: string | undefined;
  /** True if nothing is sent for it until a person resumes it. */
  readonly paused: boolean;
  readonly message: string | undefined;
  /** The status that the service shows. */
  readonly serviceStatus: string | undefined;
  readonly source: string;
  /** The image, branch, tag or archive of the newest revision, as far as the service shows it. */
  readonly imageOrRef: string | undefined;
  readonly deploymentID: string | undefined;
  readonly activeRevisionID: string | undefined;
  readonly latestRevisionID: string | undefined;
  /** The time of the last change of a condition. */
  readonly lastChangeTime: string | undefined;
}

/** Returns the part of a status that describes the resource itself. */
export function statusRow({ metadata, spec, status }: DeploymentResource): StatusRow {
  const conditions = status?.conditions ?? [];
  const find = (type: string): (typeof conditions)[number] | undefined =>
    conditions.find((condition) => condition.type === type);
  const shown = status?.observed?.sourceRevisionConfig;
  const changes = conditions.map(({ lastTransitionTime }) => lastTransitionTime);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    ready: find('Ready')?.status,
    synced: find('Synced')?.status,
    reason: find('Ready')?.reason,
    paused: metadata.annotations?.[ANNOTATIONS.paused] === 'true',
    message: find('Ready')?.message,
    serviceStatus: status?.serviceStatus,
    source: spec.source,
    imageOrRef: shown?.imageURI ?? shown?.repoRef ?? shown?.sourceTarballPath,
    deploymentID: status?.deploymentID,
    activeRevisionID: status?.activeRevisionID,
    latestRevisionID: status?.latestRevisionID,
    lastChangeTime: changes.toSorted().at(-1),
  };
}
