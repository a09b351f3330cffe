import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';

/** The id of a code-host integration. */
export const INTEGRATION = uuidFrom('integration');

/** A repository of the integration, as a service lists it. */
export const REPOSITORY = {
  host_integration_id: INTEGRATION,
  id: 1,
  name: 'agent',
  owner: 'acme',
  url: 'https://codehost.example.com/acme/agent',
  default_branch: 'main',
};

/** An OAuth provider, as a service lists it. */
export const PROVIDER = {
  id: uuidFrom('provider'),
  organization_id: uuidFrom('organization'),
  provider_id: 'github-prod',
  name: 'GitHub',
  client_id: 'client-hunter2',
  auth_url: 'https://github.example.com/authorize',
  token_url: 'https://github.example.com/token',
  uses_pkce: true,
  code_challenge_method: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  provider_type: 'github',
};
