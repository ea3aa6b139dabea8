/* What the tutor takes of the SDK of the Model Context Protocol, which `package/mcp-sdk.js` bundles. */

/** An error that JSON-RPC has a code for. */
export class ProtocolError extends Error {
  constructor(code: number, message: string);
}

/** The parameters of methods that have some which the tutor reads, as the SDK has checked them. */
interface Parameters {
  readonly 'tools/call': { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> };
  readonly 'resources/read': { readonly uri: string };
  readonly 'prompts/get': { readonly name: string };
}

interface Message<Method extends string> {
  readonly params: Method extends keyof Parameters ? Parameters[Method] : unknown;
}

export class Server {
  constructor(
    about: { readonly name: string; readonly title: string; readonly version: string },
    options: { readonly capabilities: Readonly<Record<string, object>>; readonly instructions: string },
  );
  setRequestHandler<Method extends string>(
    method: Method,
    handler: (message: Message<Method>) => Promise<object>,
  ): void;
  connect(transport: WebStandardStreamableHTTPServerTransport): Promise<void>;
}

/** Tells whether a request is of a client with a handshake, before the protocol of 2026-07-28. */
export function isLegacyRequest(request: Request): Promise<boolean>;

/** Answers a request of the protocol of 2026-07-28. */
export function createMcpHandler(
  make: () => Server,
  options: { readonly maxSubscriptions: number },
): { fetch(request: Request): Promise<Response> };

export class WebStandardStreamableHTTPServerTransport {
  constructor(options: { readonly enableJsonResponse: boolean });
  handleRequest(request: Request): Promise<Response>;
}
