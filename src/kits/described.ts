/*
 * What kits take from the OpenAPI descriptions, so that they follow what is published: where an operation is, and whether
 * it wants a token or a signature.
 */

/** The parts of an OpenAPI document that are read here. */
interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the server of its description, with `{name}` for parameters: `/policies/{policyId}`. */
  readonly path: string;
  /** Whether a token has to be sent. */
  readonly authorized: boolean;
  /** Whether the body has to be signed. */
  readonly signed: boolean;
  readonly statuses: readonly number[];
}

/** A description: where its server is, and its operations by their ids. */
export interface Described {
  /** Absolute. */
  readonly server: string;
  /** @throws {Error} when the description has no such operation */
  operation(id: string): Operation;
}

export function described(document: object): Described {
  const { servers, paths } = document as OpenApi;
  const operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [operation.operationId, read(path, method, operation)]),
    ),
  );
  return {
    server: servers[0]?.url ?? '',
    operation(id) {
      const found = operations.get(id);
      if (!found) throw new Error(`No description has the operation ${id}`);
      return found;
    },
  };
}

function read(path: string, method: string, { security = [], responses }: OpenApiOperation): Operation {
  const schemes = security.flatMap((each) => Object.keys(each));
  return {
    method: method.toUpperCase() as Operation['method'],
    path,
    authorized: schemes.includes('bearer'),
    signed: schemes.includes('signature'),
    statuses: Object.keys(responses).map(Number),
  };
}
