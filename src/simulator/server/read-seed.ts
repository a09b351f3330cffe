import type { WireProvider } from '../../wire/wire-provider.ts';
import type { WireRepository } from '../../wire/wire-repository.ts';
import { plannedAction, plannedFault } from './control-reading.ts';
import { deployment } from './deployment-reading.ts';
import { uuidFrom } from '../values/identifiers.ts';
import { type DeploymentSeed, type IntegrationSeed, manyDeployments } from '../state/service-seed.ts';
import {
  count,
  expecting,
  fields,
  flag,
  listOf,
  optional,
  type Reader,
  readDocument,
  text,
  uuid,
} from '../values/reader.ts';
import type { SemanticsPatch } from '../switches/semantics.ts';
import { semanticsPatch } from '../switches/semantics-patch.ts';
import { type Auth, authRule } from '../switches/structured-answers.ts';
import { timeText } from '../api/shown-deployment.ts';
import type { SimulationSeed } from './simulated-service.ts';

/**
 * Converts a parsed seed document to a seed. Deployments, providers and repositories have their wire names (section
 * 2). Throws a DocumentError with one line per problem: the place, the problem, and the expected form.
 */
export function readSeed(document: unknown): SimulationSeed {
  return readDocument(seed, document);
}

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

/** The greatest size of a load: its deployments are all made at once, and each occupies kilobytes. */
const MOST_OF_A_LOAD = 100_000;

const loadCount = expecting(
  `a whole number from 0 to ${MOST_OF_A_LOAD}`,
  (value): value is number =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_OF_A_LOAD,
  0,
);

const load: Reader<readonly DeploymentSeed[]> = fields((field) =>
  manyDeployments(field('count', loadCount), field('prefix', optional(text, 'load'))),
);

const seed: Reader<SimulationSeed> = fields((field) => {
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
    faults: field('faults', optional(listOf(plannedFault), [])),
    actions: field('actions', optional(listOf(plannedAction), [])),
  };
});
