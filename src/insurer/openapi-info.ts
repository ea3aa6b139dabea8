import { allScopes } from '../clients/scope.ts';
import { commonText, unknownNames } from '../http/descriptions/text.ts';
import { exampleValues, ownExampleValues } from './example-values.ts';
import { base } from './route-texts.ts';
import { tokenSchemes } from './token-schemes.ts';

/** Writes what the description says of the interface as a whole. */
export function openApiInfo(publicUrl: string) {
  const server = `${publicUrl}${base}`;
  return {
    title: 'L-Plate insurer',
    version: '1.0.0',
    description: [
      'The REST interface of a synthetic motor insurer, to practise API integration on. Every insurer, vehicle, person and policy is fictional.',
      '',
      'Create credentials with `POST /demo-clients`, exchange them for a token with `POST /auth/token`, then manage policies. There is also a rate limit to run into, and an endpoint for signed requests.',
      '',
      ...commonText(publicUrl, unknownNames, ', and nothing else that is specific to an endpoint'),
    ].join('\n'),
    server,
    publicUrl,
    replacements: exampleValues,
    ownValues: ownExampleValues,
    tags: [
      { name: 'Clients and tokens', description: 'Who calls, and what they may do.' },
      { name: 'Policies', description: 'Motor third-party liability, one policy in force for a vehicle.' },
      { name: 'Statements', description: 'Premiums and commissions of a month, as a file.' },
      { name: 'Range', description: 'For practice: a rate limit, a signature, this description.' },
    ],
    securitySchemes: {
      ...tokenSchemes(publicUrl, allScopes, { endpoint: 'the token endpoint', source: '`POST /auth/token`' }),
      basic: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, at the token endpoint.' },
      signature: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Signature',
        description: 'HMAC-SHA256 of the exact bytes of the body, in hexadecimal.',
      },
    },
  };
}
