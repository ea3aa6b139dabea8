import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifySchema,
  HTTPMethods,
  preValidationAsyncHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';

/** The shapes of an endpoint and what its description says, apart from what it does. */
export type EndpointText = { readonly schema: FastifySchema } & Pick<
  FastifyContextConfig,
  'success' | 'example' | 'headers' | 'optionalHeaders' | 'links' | 'guesses' | 'instead'
>;

/** A handler whose body, parameters and answers have the types of the endpoint's schema. */
export type Handler<Text extends EndpointText> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  unknown,
  Text['schema'],
  TypeBoxTypeProvider
>;

/** A handler for each endpoint, under the same name. */
export type Handlers<Texts extends Record<string, EndpointText>> = { [Name in keyof Texts]: Handler<Texts[Name]> };

/** Where the routes of an interface are added. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

type Behaviour = Omit<FastifyContextConfig, 'url' | 'method' | keyof EndpointText>;

/** Adds a route: one row of a table of endpoints. What is described stands in `text`, what is done in `entry`. */
export function endpoint<Text extends EndpointText>(
  api: Api,
  method: HTTPMethods,
  url: string,
  { schema, ...text }: Text,
  entry: Behaviour & { readonly handler: Handler<Text>; readonly preValidation?: preValidationAsyncHookHandler },
): void {
  const { handler, preValidation, ...behaviour } = entry;
  const config = { ...text, ...behaviour } as FastifyContextConfig;
  api.route<RouteGenericInterface, unknown, Text['schema']>({
    method,
    url,
    schema,
    handler,
    config,
    ...(preValidation && { preValidation }),
  });
}
