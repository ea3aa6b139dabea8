import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { describeInterface } from '../http/descriptions/description.ts';
import type { Tokens } from '../http/requests/bearer.ts';
import { restInterface } from '../http/rest.ts';
import type { System } from '../system.ts';
import { lookUpWith } from './look-up.ts';
import { openApiInfo } from './openapi-info.ts';
import { problems } from './problems.ts';
import { routes } from './routes.ts';
import { soapEndpoint } from './soap-endpoint.ts';

export { vehiclesWith } from './look-up.ts';
export { registryNamespace, soapAction, soapNamespace } from './soap.ts';
export { MarkupBounds } from './soap-bounds.ts';
export { readEnvelope } from './soap-request.ts';
export { findVehicle } from './vehicle.ts';
export { wsdl } from './wsdl.ts';

/** Where the description of v1 is. */
export const wsdlPath = '/vehicle-registry/v1?wsdl';

/**
 * The vehicle registry: the SOAP service v1 and its successor, REST v2. Neither asks who calls; `tokens` are for the
 * rate limit, which may count by client, and for the end of v1, which is by the client's clock and drills.
 */
export function openVehicleRegistry(context: Context, tokens: Tokens): System {
  return {
    name: 'vehicle-registry',
    problems,
    addresses: [
      { what: 'Vehicle registry, SOAP v1', path: '/vehicle-registry/v1' },
      { what: 'its WSDL', path: wsdlPath },
      { what: 'Vehicle registry, REST v2', path: '/vehicle-registry/v2/vehicles/AB-1234' },
      { what: 'its description', path: '/vehicle-registry/v2/openapi.yaml' },
    ],
    documents: [{ title: 'Vehicle registry v2', path: '/vehicle-registry/v2/openapi.yaml' }],
    async register(server: FastifyInstance) {
      await server.register(async (scope) => soapEndpoint(scope, context, tokens), { prefix: '/vehicle-registry/v1' });
      await server.register(
        async (api) => {
          restInterface(api, context, tokens);
          const describe = describeInterface(api, openApiInfo(context.config.publicUrl), context.clock);
          routes(api, lookUpWith(context.config));
          describe('This description');
        },
        { prefix: '/vehicle-registry/v2' },
      );
    },
  };
}
