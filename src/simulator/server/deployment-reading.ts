import { defined } from '../../base/defined.ts';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { createdContent } from '../state/patched-content.ts';
import { anyText, fields, object, optional, type Reader, text, uuid } from '../values/reader.ts';
import { createProblems } from '../api/request-check.ts';
import type { DeploymentSeed } from '../state/service-seed.ts';
import type { SemanticsPatch } from '../switches/semantics.ts';
import { semanticsPatch } from '../switches/semantics-patch.ts';
import { isWireObject, listOf as itemsOf } from '../values/wire-values.ts';

const LOOSE_FIELDS = ['deployment_type', 'tag_value_ids', 'remote_reconciled'] as const;

/** Reads a deployment of a seed document, with the names of section 2.3. */
export const deployment: Reader<DeploymentSeed> = (value, path, problems) => {
  const members = object(value, path, problems);
  const body: WireObject = {
    name: members['name'] ?? null,
    source: members['source'] ?? null,
    ...blocks(members),
  };
  for (const { path: where, message } of createProblems(body)) {
    problems.push(`${[path, ...where.slice(1)].filter((part) => part !== '').join('.')}: ${message}`);
  }
  const content = createdContent(body);
  return fields((field): DeploymentSeed => {
    for (const key of ['source_config', 'source_revision_config', 'secrets', 'secret_references'])
      field(key, ignored);
    const id = field('id', optional(uuid, undefined));
    const tenantID = field('tenant_id', optional(uuid, undefined));
    const semantics = field('semantics', optional<SemanticsPatch, undefined>(semanticsPatch, undefined));
    const hidden = LOOSE_FIELDS.map((key): [string, WireJson | undefined] => [
      key,
      field(key, (loose) => loose),
    ]);
    return {
      name: field('name', optional(anyText, '')),
      source: field('source', optional(anyText, '')),
      ...content,
      imageVersion: field('image_version', optional(text, null)),
      status: field('status', optional(text, null)),
      hidden: Object.fromEntries(
        hidden.filter((entry): entry is [string, WireJson] => entry[1] !== undefined),
      ),
      ...defined({ id, tenantID, semantics }),
    };
  })(members, path, problems);
};

function ignored(): void {}

/** Returns the blocks that the seed contains; secrets may also be an object of names and values. */
function blocks(members: WireObject): WireObject {
  const keys = ['source_config', 'source_revision_config', 'secret_references'];
  const given = keys.filter((key) => members[key] !== undefined && members[key] !== null);
  const secrets = members['secrets'] ?? [];
  const listed = isWireObject(secrets)
    ? Object.entries(secrets).map(([name, value]): WireObject => ({ name, value }))
    : itemsOf(secrets);
  return { ...Object.fromEntries(given.map((key) => [key, members[key] ?? null])), secrets: listed };
}
