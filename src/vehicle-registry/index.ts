import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import type { Tokens } from '../http/bearer.ts';
import { describeInterface } from '../http/description.ts';
import { conduct } from '../http/description-text.ts';
import { restInterface } from '../http/rest.ts';
import type { System } from '../system.ts';
import { problems } from './problems.ts';
import { routes } from './routes.ts';
import { soapEndpoint } from './soap-endpoint.ts';

/**
 * The vehicle registry: the SOAP service v1 and its successor, REST v2. Neither asks who calls; `tokens` are for the
 * rate limit, which may count by client.
 */
export function openVehicleRegistry(context: Context, tokens: Tokens): System {
  return {
    name: 'vehicle-registry',
    problems,
    addresses: [
      { what: 'Vehicle registry, SOAP v1', path: '/vehicle-registry/v1' },
      { what: 'its WSDL', path: '/vehicle-registry/v1?wsdl' },
      { what: 'Vehicle registry, REST v2', path: '/vehicle-registry/v2/vehicles/AB-1234' },
      { what: 'its description', path: '/vehicle-registry/v2/openapi.yaml' },
    ],
    documents: [{ title: 'Vehicle registry v2', path: '/vehicle-registry/v2/openapi.yaml' }],
    async register(server: FastifyInstance) {
      await server.register(async (scope) => soapEndpoint(scope, context), { prefix: '/vehicle-registry/v1' });
      await server.register(
        async (api) => {
          restInterface(api, context, tokens);
          const describe = describeInterface(api, openApiInfo(context.config.publicUrl));
          await api.register(routes);
          describe('This description');
        },
        { prefix: '/vehicle-registry/v2' },
      );
    },
  };
}

function openApiInfo(publicUrl: string) {
  return {
    title: 'L-Plate vehicle registry',
    version: '2.0.0',
    description: [
      'What the registry knows about a vehicle, by its registration number. Every vehicle is fictional.',
      '',
      `This is the successor of the SOAP service v1 (${publicUrl}/vehicle-registry/v1). It returns the same data: the elements of v1 as members in snake_case, \`fuel_type\` in lowercase. A member that does not apply to a vehicle is absent. You need no token.`,
      '',
      ...conduct(publicUrl, 'Query parameters and bodies are ignored.'),
    ].join('\n'),
    server: `${publicUrl}/vehicle-registry/v2`,
    publicUrl,
    tags: [
      { name: 'Registry data', description: 'What the registry knows about a vehicle.' },
      { name: 'This description', description: 'For tools.' },
    ],
    securitySchemes: {},
  };
}
