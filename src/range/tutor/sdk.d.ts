/** The part of the SDK of the Model Context Protocol that `package/mcp-sdk.js` bundles. */
export {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
