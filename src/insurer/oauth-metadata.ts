import { base } from './route-texts.ts';
import { allScopes } from './scope.ts';

export const jwksPath = '/.well-known/jwks.json';
export const metadataPath = '/.well-known/oauth-authorization-server';

/** The document of RFC 8414, by which OAuth 2.0 tools configure themselves. */
export function oauthMetadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}${base}/auth/token`,
    jwks_uri: `${publicUrl}${jwksPath}`,
    scopes_supported: allScopes,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    service_documentation: `${publicUrl}/docs`,
  };
}
