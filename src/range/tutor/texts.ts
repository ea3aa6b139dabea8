import type { EndpointText } from '../../http/endpoint.ts';
import { anyMembers } from '../shapes.ts';
import { ofClient } from '../texts.ts';

const message = { jsonrpc: '2.0', id: 1 };

const result = { ...message, result: { tools: [] } };

const Refusal = anyMembers('An error of JSON-RPC 2.0.', {
  jsonrpc: '2.0',
  error: { code: -32700, message: 'Parse error: Invalid JSON' },
  id: null,
});

const refusal = { content: { 'application/json': { schema: Refusal } } };

export const mcpText = {
  schema: {
    operationId: 'callTutor',
    tags: ['Tutor'],
    summary: 'A tutor for assistants (MCP)',
    description:
      'The Model Context Protocol by streamable HTTP, without sessions: an assistant in an editor reads your calls, explains problems, and opens lessons. Each tool makes calls to this interface with your token, so they count against its limit and are in the log of the service. No tool calls a system, sends an answer or reads a solution. What is wrong with a message is an error of JSON-RPC.',
    security: ofClient,
    body: {
      content: {
        'application/json': { schema: anyMembers('A message of JSON-RPC 2.0.', { ...message, method: 'tools/list' }) },
      },
    },
    response: {
      200: {
        content: {
          'application/json': { schema: anyMembers('A message of JSON-RPC 2.0.', result) },
        },
      },
      202: {},
      400: refusal,
    },
  },
  success: 'The answer.',
  guesses: ['me/mcp', 'tutor', 'me/tutor'],
} satisfies EndpointText;
