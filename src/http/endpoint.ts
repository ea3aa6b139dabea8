import type { Readable } from 'node:stream';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifySchema,
  FastifyTypeProvider,
  HTTPMethods,
  preValidationAsyncHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { ProblemIdentifier } from './problems/problem.ts';

/** Requests and answers have the types of their schemas. */
interface TypesOfSchemas extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  readonly serializer: Answer<this['schema']>;
}

/** A value of the schema, or a stream of its text. An empty schema stands for no body. */
type Answer<Schema> = Schema extends { readonly content: infer Content }
  ? { [Type in keyof Content]: Content[Type] extends { schema: infer Each } ? Answer<Each> : never }[keyof Content]
  : [keyof Schema] extends [never]
    ? // biome-ignore lint/suspicious/noConfusingVoidType: of undefined Fastify makes unknown
      void
    : Schema extends TSchema
      ? Static<Schema> | Readable
      : never;

/** The shapes of an endpoint and what its description says, apart from what it does. */
export type EndpointText = { readonly schema: FastifySchema & { readonly response: object } } & Pick<
  FastifyContextConfig,
  'success' | 'example' | 'headers' | 'optionalHeaders' | 'links' | 'guesses' | 'instead' | 'otherNames'
>;

type HandlerOfFastify<Text extends EndpointText> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  unknown,
  Text['schema'],
  TypesOfSchemas
>;

/**
 * A handler whose body, parameters and answers have the types of the endpoint's schema. It resolves with the answer or
 * the reply that sends it: the types of Fastify would let it forget both.
 */
export type Handler<Text extends EndpointText> = (
  ...call: Parameters<HandlerOfFastify<Text>>
) => ReturnType<HandlerOfFastify<Text>> & Promise<Exclude<AnswerOf<Text['schema']['response']>, void>>;

type AnswerOf<Responses> = { [Status in keyof Responses]: Answer<Responses[Status]> }[keyof Responses];

/** A handler for each endpoint, under the same name. */
export type Handlers<Texts extends Record<string, EndpointText>> = { [Name in keyof Texts]: Handler<Texts[Name]> };

/** Where the routes of an interface are added. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypesOfSchemas
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

/**
 * Adds the routes of one table, whose texts and handlers go by the same names: what is left to say in a row is its scope,
 * if it needs a token, what it answers beside the problems of all that do, and what else is special.
 */
export function tableOf<Texts extends Record<string, EndpointText>>(
  api: Api,
  texts: Texts,
  handle: Handlers<Texts>,
  problemsOfTokens: readonly ProblemIdentifier[] = [],
) {
  return <Name extends keyof Texts>(
    method: HTTPMethods,
    url: string,
    name: Name,
    scope: string | undefined,
    problems: readonly ProblemIdentifier[] = [],
    more: Behaviour & { readonly preValidation?: preValidationAsyncHookHandler } = {},
  ): void => {
    const ofToken = scope === undefined ? { problems } : { scope, problems: [...problemsOfTokens, ...problems] };
    endpoint(api, method, url, texts[name] as Texts[Name], { handler: handle[name], ...ofToken, ...more });
  };
}
