import type { FastifyRequest } from 'fastify';

interface Shape {
  readonly content?: Record<string, { schema: Shape }>;
  readonly properties?: Record<string, { examples?: readonly unknown[] }>;
  readonly required?: readonly string[];
}

/** The least body that the endpoint takes, as JSON: for the detail of a refusal. */
export function exampleBody({ routeOptions }: FastifyRequest): string {
  const { required = [], properties = {} } = shapeOf(routeOptions.schema?.body);
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, properties[name]?.examples?.[0]])));
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
