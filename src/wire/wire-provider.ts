/** An OAuth provider configured for the organization (2.1). */
export interface WireProvider {
  readonly id: string;
  readonly organization_id: string;
  readonly provider_id: string;
  readonly name: string;
  readonly client_id: string;
  readonly auth_url: string;
  readonly token_url: string;
  readonly uses_pkce: boolean;
  readonly code_challenge_method: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly provider_type?: string | null;
  readonly mcp_server_url?: string | null;
  /** Absent means `client_secret_post`. */
  readonly token_endpoint_auth_method?: string;
  /** Absent means false. */
  readonly is_dynamic_client?: boolean;
}
