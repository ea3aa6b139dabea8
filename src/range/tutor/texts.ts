import Type from 'typebox';
import type { EndpointText } from '../../http/endpoint.ts';
import { ofClient } from '../texts.ts';

const example = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

export const mcpText = {
  schema: {
    operationId: 'callTutor',
    tags: ['Tutor'],
    summary: 'A tutor for assistants (MCP)',
    description:
      'The Model Context Protocol by streamable HTTP, without sessions: an assistant in an editor reads your calls, explains problems, and opens lessons. Each tool makes calls to this interface with your token, so they count against its limit and are in the log of the service. No tool calls a system, sends an answer or reads a solution. `Accept` must have `application/json` and `text/event-stream`. What is wrong with a message is an error of JSON-RPC.',
    security: ofClient,
    body: {
      content: {
        'application/json': {
          schema: Type.Unsafe<unknown>({
            type: 'object',
            description: 'A message of JSON-RPC 2.0.',
            examples: [JSON.parse(example)],
          }),
        },
      },
    },
    response: {
      200: {
        content: {
          'application/json': {
            schema: Type.Unsafe<unknown>({
              type: 'object',
              description: 'A message of JSON-RPC 2.0.',
              examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [] } }],
            }),
          },
          'text/event-stream': {
            schema: Type.String({
              description: 'The same as the data of an event.',
              examples: ['event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n'],
            }),
          },
        },
      },
      202: {},
    },
  },
  success: 'The answer.',
  guesses: ['me/mcp', 'tutor', 'me/tutor'],
} satisfies EndpointText;
