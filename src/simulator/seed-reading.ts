import type { WireJson, WireObject } from '../wire/json.ts';
import type { WireProvider } from '../wire/provider.ts';
import type { WireRepository } from '../wire/repository.ts';
import { uuidFrom } from './identifiers.ts';
import { manyDeployments } from './load.ts';
import { isWireObject, listOf as itemsOf } from './wire-values.ts';
import { createdContent } from './patch-state.ts';
import {
  anyText,
  count,
  fields,
  flag,
  listOf,
  object,
  optional,
  type Reader,
  readDocument,
  text,
} from './reading.ts';
import { createProblems } from './request-check.ts';
import type { DeploymentSeed, IntegrationSeed, ServiceSeed } from './seed.ts';
import type { Auth, SemanticsPatch } from './semantics.ts';
import { authRule, semanticsPatch } from './semantics-reading.ts';
import { timeText } from './show.ts';

/**
 * A parsed seed document as a seed. Names of deployments, providers and repositories are those of the wire
 * (section 2). Throws DocumentError, one line per problem: where, what is wrong, what is expected.
 */
export function readSeed(document: unknown): ServiceSeed {
  return readDocument(seed, document);
}

const uuid: Reader<string> = (value, path, problems) => {
  const found = text(value, path, problems);
  if (found !== '' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(found)) {
    problems.push(`${path}: is not a UUID; expected one such as ${uuidFrom(path)}`);
  }
  return found;
};

const provider: Reader<WireProvider> = fields((field) => {
  const name = field('name', text);
  const created = field('created_at', optional(text, timeText(0)));
  return {
    id: field('id', optional(text, uuidFrom(`provider ${name}`))),
    organization_id: field('organization_id', optional(text, uuidFrom('organization'))),
    provider_id: field('provider_id', optional(text, name)),
    name,
    client_id: field('client_id', optional(text, `client-${name}`)),
    auth_url: field('auth_url', optional(text, `https://${name}.example.com/authorize`)),
    token_url: field('token_url', optional(text, `https://${name}.example.com/token`)),
    uses_pkce: field('uses_pkce', optional(flag, true)),
    code_challenge_method: field('code_challenge_method', optional(text, null)),
    created_at: created,
    updated_at: field('updated_at', optional(text, created)),
    provider_type: field('provider_type', optional(text, null)),
    mcp_server_url: field('mcp_server_url', optional(text, null)),
    token_endpoint_auth_method: field('token_endpoint_auth_method', optional(text, 'client_secret_post')),
    is_dynamic_client: field('is_dynamic_client', optional(flag, false)),
  };
});

const repository: Reader<Omit<WireRepository, 'host_integration_id'>> = fields((field) => {
  const name = field('name', text);
  const owner = field('owner', text);
  return {
    name,
    owner,
    id: field('id', optional(count, Number.parseInt(uuidFrom(`${owner}/${name}`).slice(0, 7), 16))),
    url: field('url', optional(text, `https://codehost.example.com/${owner}/${name}`)),
    default_branch: field('default_branch', optional(text, 'main')),
  };
});

const integration: Reader<IntegrationSeed> = fields((field) => {
  const id = field('id', uuid);
  const found = field('repositories', optional(listOf(repository), []));
  return { id, repositories: found.map((item) => ({ host_integration_id: id, ...item })) };
});

const LOOSE_FIELDS = ['deployment_type', 'tag_value_ids', 'remote_reconciled'] as const;

/** A deployment of a seed document, in the names of section 2.3. */
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
      ...(id === undefined ? {} : { id }),
      ...(tenantID === undefined ? {} : { tenantID }),
      ...(semantics === undefined ? {} : { semantics }),
    };
  })(members, path, problems);
};

const load: Reader<readonly DeploymentSeed[]> = fields((field) =>
  manyDeployments(field('count', count), field('prefix', optional(text, 'load'))),
);

const seed: Reader<ServiceSeed> = fields((field) => {
  const semantics = field('semantics', optional<SemanticsPatch, SemanticsPatch>(semanticsPatch, {}));
  const auth = field('auth', optional<Auth, undefined>(authRule, undefined));
  return {
    semantics: auth === undefined ? semantics : { ...semantics, auth },
    providers: field('providers', optional(listOf(provider), [])),
    integrations: field('integrations', optional(listOf(integration), [])),
    deployments: [
      ...field('deployments', optional(listOf(deployment), [])),
      ...field('load', optional(load, [])),
    ],
  };
});

function ignored(): void {}

/** The blocks that were given; secrets may also be an object of names and values. */
function blocks(members: WireObject): WireObject {
  const keys = ['source_config', 'source_revision_config', 'secret_references'];
  const given = keys.filter((key) => members[key] !== undefined && members[key] !== null);
  const secrets = members['secrets'] ?? [];
  const listed = isWireObject(secrets)
    ? Object.entries(secrets).map(([name, value]): WireObject => ({ name, value }))
    : itemsOf(secrets);
  return { ...Object.fromEntries(given.map((key) => [key, members[key] ?? null])), secrets: listed };
}
