import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { problemOf } from '../http/answers/error-mapping.ts';
import { sendPage } from '../http/answers/page.ts';
import { ServedText } from '../http/answers/served-text.ts';
import { addressLimit, noLimit, showRetryAfter } from '../http/rate-limit.ts';
import { interfaceChecks } from '../http/request-checks.ts';
import { absoluteUrl, linkBaseOf } from '../http/requests/absolute-url.ts';
import type { Tokens } from '../http/requests/bearer.ts';
import { isPacked } from '../http/requests/bodies.ts';
import { personalPrefix } from '../http/requests/personal-prefix.ts';
import { nearestPath, pathOf } from '../http/requests/url.ts';
import { endOfV1, successor } from './end-of-v1.ts';
import { howToCall } from './how-to-call.ts';
import { lookUpWith } from './look-up.ts';
import type { SoapFault } from './soap.ts';
import { faultEnvelope, vehicleEnvelope, vehicleNotFoundEnvelope } from './soap-answer.ts';
import { actionFault, allOf, readEnvelope } from './soap-request.ts';
import { wsdl } from './wsdl.ts';

const xml = 'text/xml; charset=utf-8';
const plain = 'text/plain; charset=utf-8';

/**
 * The legacy SOAP operation GetVehicleData at `{soap_url}`. What goes wrong with a call is a SOAP fault, which goes
 * with HTTP 500 (SOAP 1.1, section 6.2), and never a problem in JSON: no SOAP client could read it.
 */
export function soapEndpoint(scope: FastifyInstance, context: Context, tokens: Tokens): void {
  const { prefix } = scope;
  const { config, log } = context;
  const { soapLimitPerMinute: perMinute } = config;
  const limit = perMinute > 0 ? addressLimit('vehicle-registry-soap', perMinute, context) : noLimit;

  const lookUp = lookUpWith(config);

  // The page and the WSDL count as pages.
  const { limit: pages } = scope.interfaceChecks;
  interfaceChecks(scope, pages ? { limit: pages } : {});
  endOfV1(scope, context, tokens, gone);
  // What comes before a handler refuses by problems: a body that is too large, a missing Host header.
  scope.setErrorHandler((error, request, reply) => {
    const { identifier, message, extras } = problemOf(error, request, log);
    if (extras.headers) reply.headers(extras.headers);
    if (request.is404) return wrongPathOrMethod(request, reply, prefix);
    if (identifier === 'not-found') return wrongAddress(request, reply, `${message}\n`);
    if (identifier === 'rate-limit-exceeded') return tooManyCalls(request, reply, message);
    if (identifier === 'unavailable') return fault(request, reply, { code: 'Server', message });
    if (identifier !== 'internal-error') return fault(request, reply, { code: 'Client', message });
    const inside = `An internal error occurred. The server log has the details, under the id ${request.id} (see X-Request-Id).`;
    return fault(request, reply, { code: 'Server', message: inside });
  });

  scope.post('', { config: { body: 'bytes', guesses, limit } }, async (request, reply) => {
    const reading = read(request);
    if ('code' in reading) return fault(request, reply, reading);
    const vehicle = await lookUp(request, reply, reading.regNumber);
    if (vehicle === 'answered') return reply;
    if (vehicle) return sendXml(reply, vehicleEnvelope(vehicle));
    request.problem = 'VehicleNotFound';
    return sendXml(reply.code(500), vehicleNotFoundEnvelope(reading.regNumber));
  });

  scope.get<{ Querystring: Record<string, unknown> }>('', { config: { document: true } }, async (request, reply) => {
    const address = absoluteUrl(request, prefix);
    // In any case: .NET asks for ?WSDL.
    const asked = Object.keys(request.query).some((name) => name.toLowerCase() === 'wsdl');
    const place = linkBaseOf(request);
    const make = () => ({ service: new ServedText(xml, wsdl(address)), page: howToCall(scope, address) });
    const size = ({ page }: ReturnType<typeof make>) => 2 * page.length;
    const { service, page } = await scope.copies.get([request, reply], place, prefix, make, size);
    return asked ? service.send(request, reply) : sendPage(reply, page);
  });
}

/** The registration number of a call, or the fault to answer. */
function read(request: FastifyRequest): { regNumber: string } | SoapFault {
  const { soapaction } = request.headers;
  if (isPacked(request)) {
    return {
      code: 'Client',
      message: 'The body is compressed, as Content-Encoding says. Send it uncompressed, as text/xml.',
    };
  }
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const reading = readEnvelope(body, request.declaredType);
  const action = actionFault(soapaction as string | undefined);
  if (!action) return reading;
  return 'code' in reading ? (allOf([reading, action]) as SoapFault) : action;
}

function fault(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, message }: { code: SoapFault['code'] | 'Server'; message: string },
  problem = `soap:${code}`,
): FastifyReply {
  // All faults are 500: this tells the log whose they are.
  request.problem = problem;
  return sendXml(reply.code(500), faultEnvelope({ code, message }));
}

/**
 * 410, for gateways and tools that look at the status only, and a fault for what reads SOAP: `Client`, since the same call
 * will not succeed later on. To read the page or the WSDL is no call: plain text.
 */
function gone(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = `SOAP v1 of the vehicle registry has ended. Its successor, REST v2, has the same data: GET ${absoluteUrl(request, '/vehicle-registry/v2/vehicles/AB-1234')}, described at ${absoluteUrl(request, successor)}. The drill sunset is on for this client; when it ends, v1 is back.`;
  // In the log, too: no page of a problem tells of it.
  request.problem = 'soap:Client';
  reply.code(410);
  if (request.method === 'POST') return sendXml(reply, faultEnvelope({ code: 'Client', message }));
  return reply.type(plain).send(`${message}\n`);
}

/** `Server`, since the same call may succeed later on (SOAP 1.1, section 4.4.1). The log names what it was. */
function tooManyCalls(request: FastifyRequest, reply: FastifyReply, message: string): FastifyReply {
  showRetryAfter(reply);
  return fault(request, reply, { code: 'Server', message }, 'rate-limit-exceeded');
}

function sendXml(reply: FastifyReply, text: string): FastifyReply {
  return reply.type(xml).send(text);
}

const allow = 'GET, HEAD, POST';

/** Paths at which other services have their SOAP. */
const guesses = [
  ...['soap', 'GetVehicleData', 'VehicleRegistryService', 'ws'],
  ...['wsdl', 'service.wsdl', 'openapi.yaml', 'openapi.json', '/vehicle-registry/v1.wsdl'].map(
    (path) => `${path}?wsdl`,
  ),
];

/** In plain text, whatever else is wrong: what is at another address, or of another method, is no call. */
function wrongPathOrMethod(request: FastifyRequest, reply: FastifyReply, prefix: string): FastifyReply {
  const wrongMethod = pathOf(request).replace(/\/$/, '') === prefix;
  const service = personalPrefix(request) + prefix;
  if (!wrongMethod) {
    const text = `There is nothing here. The SOAP service is at ${service}, its WSDL at ${service}?wsdl. ${nearestPath(request)}\n`;
    return wrongAddress(request, reply, text);
  }
  request.problem = 'method-not-allowed';
  const text = `${request.method} is not allowed here. Allowed methods: ${allow}. Call the SOAP service with POST; GET shows how.\n`;
  return reply.code(405).type(plain).header('Allow', allow).send(text);
}

function wrongAddress(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  request.problem = 'not-found';
  return reply.code(404).type(plain).send(text);
}
