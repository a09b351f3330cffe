import {
  SOURCE_CONFIG_FLAGS,
  SOURCE_CONFIG_STRINGS,
  SOURCE_REVISION_CONFIG_STRINGS,
} from '../../wire/deployment.ts';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { activeRevision, type DeploymentState, latestRevision, statusAt } from '../state/deployment-state.ts';
import { contraryTo, pathParts, valueAt, withValueAt } from '../values/field-rules.ts';
import { normalised } from '../state/normalised.ts';
import { shownSecrets } from '../state/secrets-echo.ts';
import type { ServiceSemantics } from '../switches/semantics.ts';

/** Returns the deployment resource (2.3) as the service shows it at `atMs`. */
export function shownDeployment(
  state: DeploymentState,
  atMs: number,
  semantics: ServiceSemantics,
): WireObject {
  const latest = latestRevision(state, atMs);
  const configs = shownConfigs(state, atMs, semantics);
  const turned = semantics.normalise.includes('reorder');
  const secrets = shownSecrets(semantics.secretsEcho, state.content.secrets);
  const references = state.content.secretReferences;
  const shown: WireObject = {
    name: state.name,
    source: state.source,
    source_config: configs.sourceConfig,
    source_revision_config: configs.revisionConfig,
    secrets: turned ? secrets.toReversed() : secrets,
    id: state.id,
    tenant_id: state.tenantID,
    created_at: timeText(state.createdMs),
    updated_at: timeText(state.updatedMs),
    status: statusAt(state, atMs),
    latest_revision_id: latest?.id ?? null,
    active_revision_id: activeRevision(state, atMs)?.id ?? null,
    secret_references: turned ? (references?.toReversed() ?? null) : references,
    image_version: state.imageVersion,
  };
  return withFieldRules(shown, semantics);
}

/** Formats a time as the service writes it. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

function shownConfigs(
  state: DeploymentState,
  atMs: number,
  semantics: ServiceSemantics,
): { sourceConfig: WireObject; revisionConfig: WireObject } {
  const commit = latestRevision(state, atMs)?.commit ?? null;
  const settled = atMs - state.updatedMs >= semantics.normaliseAfterSeconds * 1000;
  const configs = settled ? normalised(semantics.normalise, state.content, commit) : state.content;
  const nulls = semantics.unset === 'null';
  return {
    sourceConfig: {
      ...(nulls
        ? nullsFor([...SOURCE_CONFIG_STRINGS, ...SOURCE_CONFIG_FLAGS, 'listener_config', 'resource_spec'])
        : {}),
      ...configs.sourceConfig,
    },
    revisionConfig: {
      ...(nulls ? nullsFor(SOURCE_REVISION_CONFIG_STRINGS) : {}),
      ...configs.revisionConfig,
      ...(commit === null && !nulls ? {} : { repo_commit_sha: commit }),
    },
  };
}

function nullsFor(keys: readonly string[]): WireObject {
  return Object.fromEntries(keys.map((key): [string, WireJson] => [key, null]));
}

function withFieldRules(shown: WireObject, semantics: ServiceSemantics): WireObject {
  return Object.entries(semantics.fieldRules).reduce((current, [text, rule]) => {
    const path = pathParts(text);
    const value = valueAt(current, path);
    if (value === undefined) return current;
    if (rule === 'hidden') return withValueAt(current, path, undefined);
    return rule === 'contrary' ? withValueAt(current, path, contraryTo(value)) : current;
  }, shown);
}
