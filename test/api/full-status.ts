import type { ConnectionStatus } from '../../src/api/generated/connection.ts';
import type { DeploymentStatus } from '../../src/api/generated/deployment.ts';

/** Every field is set. If the CRD gets another optional field, this file does not compile. */
type Full<T> = T extends (infer Item)[]
  ? Full<Item>[]
  : T extends object
    ? { [K in keyof T]-?: Full<T[K]> }
    : T;

const time = '2026-11-20T10:00:00.123Z';
const id = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
const condition = {
  type: 'Ready',
  status: 'True' as const,
  reason: 'Active',
  message: 'the newest revision serves',
  observedGeneration: 7,
  lastTransitionTime: time,
};
const config = {
  repoRef: 'main',
  graphConfigPath: 'agent.json',
  imageURI: 'registry.example.com/a:1',
  sourceTarballPath: 'uploads/a.tar.gz',
  repoCommitSHA: 'a'.repeat(40),
};

/** A status of a Deployment with every field. */
export const DEPLOYMENT_STATUS: Full<DeploymentStatus> = {
  observedGeneration: 7,
  conditions: [condition, { ...condition, type: 'Synced', reason: 'InSync' }],
  deploymentID: id,
  name: 'support-agent',
  source: 'external_container',
  tenantID: id,
  serviceStatus: 'SOMETHING_NEW',
  imageVersion: '1.2',
  createdTime: 'yesterday',
  updatedTime: 'today',
  latestRevisionID: id,
  activeRevisionID: id,
  rolloutStartedTime: time,
  missingSinceTime: time,
  leftOut: ['sourceConfig.customURL'],
  lost: ['secrets.TOKEN'],
  observed: { sourceRevisionConfig: config },
  revisions: [
    {
      id,
      firstSeenTime: time,
      activeTime: time,
      cause: 'Operator',
      generation: 7,
      repoCommitSHA: config.repoCommitSHA,
      imageURI: config.imageURI,
    },
  ],
  plan: {
    hash: '5c1e0b7a90d2f1c44e07',
    changesOmitted: 0,
    changes: [{ path: 'sourceRevisionConfig.imageURI', from: 'a:1', to: 'a:2', revision: 'Expected' }],
  },
  lastPatch: {
    time,
    outcome: 'Applied',
    paths: ['secrets'],
    revisionID: id,
    lastSentTime: time,
    accepted: { time, outcome: 'Applied', paths: ['sourceConfig.customURL'], revisionID: id },
    refusal: { reason: 'Rejected', message: 'PATCH was answered with 422', basis: 'd', count: 1 },
  },
  pendingWrite: {
    operation: 'Patch',
    bodyDigest: 'd',
    paths: ['secrets'],
    baseRevisionID: id,
    baseCommitSHA: config.repoCommitSHA,
    generation: 7,
    time,
    accepted: true,
    redeploy: '2',
    attempt: 1,
  },
  applied: {
    key: 'v1:k',
    generation: 7,
    time,
    fields: [{ path: 'sourceConfig.buildOnPush', a: 'd', b: 'd', was: 'd' }],
    secrets: { API_TOKEN: 'd' },
    references: 'd',
  },
  budget: {
    sends: [time],
    beyond: 7,
    drift: [{ path: 'sourceConfig.buildOnPush', times: [time] }],
    same: [{ path: 'sourceConfig.buildOnPush', digest: 'd', count: 1, refused: true }],
  },
  binding: {
    connectionKind: 'Connection',
    connectionName: 'default',
    connectionNamespace: 'team-a',
    endpoint: 'https://deploy.example.com/api',
    tenantID: id,
    reference: 'support-agent',
    time,
  },
  creation: { state: 'Done', time, tenantID: id },
  lastHandledReconcileAt: time,
  lastHandledRedeploy: '2',
  lastHandledAssumeApplied: '1',
  warningsTold: 'd',
};

const verdict = { verdict: 'Replace', count: 3, time };

/** A status of a Connection with every field. */
export const CONNECTION_STATUS: Full<ConnectionStatus> = {
  observedGeneration: 7,
  conditions: [{ ...condition, reason: 'Ok' }],
  deployments: { total: 240, managed: 31 },
  oauthProviders: [{ id, providerID: 'github', name: 'github-prod', type: 'oauth' }],
  servedBy: 'dms-operator/dms-operator-0123456789',
  endpoint: 'https://deploy.example.com/api',
  learned: {
    tenantID: id,
    omittedFields: verdict,
    nulls: verdict,
    lists: verdict,
    revisionTrigger: verdict,
    secretsVisibility: verdict,
    resourceSpecs: verdict,
  },
};
