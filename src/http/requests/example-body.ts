import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Members of the body that only one request can have, with an example that no other refusal shows. */
    ownExamples?: (requestId: string) => Readonly<Record<string, unknown>>;
    /** The schema of a line, where the body has a JSON text on each. */
    line?: object;
  }
}

interface Shape {
  readonly content?: Record<string, { schema: Shape }>;
  readonly properties?: Record<string, { examples?: readonly unknown[] }>;
  readonly required?: readonly string[];
}

/** The least body that the endpoint takes, as JSON: for the detail of a refusal. */
export function exampleBody(request: FastifyRequest): string {
  const { required = [], properties = {} } = shapeOf(
    request.routeOptions.config.line ?? request.routeOptions.schema?.body,
  );
  const own = ownExamples(request);
  return JSON.stringify(
    Object.fromEntries(required.map((name) => [name, own[name] ?? properties[name]?.examples?.[0]])),
  );
}

/** Examples that are for this refusal alone, by the member of the body. */
export function ownExamples({ id, routeOptions }: FastifyRequest): Readonly<Record<string, unknown>> {
  return routeOptions.config.ownExamples?.(id) ?? {};
}

/** The members or parameters that a schema of a route has. */
export function propertiesOf(schema: unknown): object {
  return shapeOf(schema).properties ?? {};
}

/** The schema of a body; where there is one for each media type, that of JSON. */
function shapeOf(schema: unknown): Shape {
  const shape = (schema ?? {}) as Shape;
  return shape.content?.['application/json']?.schema ?? shape;
}
