import { allScopes } from './scope.ts';

export const jwksPath = '/.well-known/jwks.json';
export const metadataPath = '/.well-known/oauth-authorization-server';

/** Their paths. */
export interface OauthEndpoints {
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
  readonly introspect: string;
}

const clientAuthentication = ['client_secret_basic', 'client_secret_post'];

/**
 * The document of RFC 8414, by which OAuth 2.0 tools configure themselves. `issuer`: an origin, or a personal prefix of it.
 * `binds`: whether tokens may be bound to client certificates.
 */
export function oauthMetadata(
  issuer: string,
  { authorize, token, revoke, introspect }: OauthEndpoints,
  binds: boolean,
) {
  return {
    issuer,
    authorization_endpoint: `${issuer}${authorize}`,
    token_endpoint: `${issuer}${token}`,
    revocation_endpoint: `${issuer}${revoke}`,
    introspection_endpoint: `${issuer}${introspect}`,
    jwks_uri: `${issuer}${jwksPath}`,
    scopes_supported: allScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    // RFC 9207.
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    // RFC 8705, section 3.3.
    ...(binds && { tls_client_certificate_bound_access_tokens: true }),
    service_documentation: `${issuer}/docs`,
  };
}
