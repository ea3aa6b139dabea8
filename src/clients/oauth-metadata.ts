import { allScopes } from './scope.ts';

export const jwksPath = '/.well-known/jwks.json';
export const metadataPath = '/.well-known/oauth-authorization-server';

/**
 * The document of RFC 8414, by which OAuth 2.0 tools configure themselves. `root`: what its addresses begin with, the
 * issuer itself or a personal prefix of it; `tokenPath`: the path of the token endpoint.
 */
export function oauthMetadata(issuer: string, root: string, tokenPath: string) {
  return {
    issuer,
    token_endpoint: `${root}${tokenPath}`,
    jwks_uri: `${root}${jwksPath}`,
    scopes_supported: allScopes,
    // Required, and some clients refuse an empty list. There is no authorization endpoint that could answer with a type.
    response_types_supported: ['none'],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    service_documentation: `${root}/docs`,
  };
}
