import { Ajv, type ValidateFunction } from 'ajv';
import { guides } from '../../navigation.ts';
import { instructions, prompts } from './prompts.ts';
import type { createMcpHandler, ProtocolError, Server } from './sdk.js';
import { guidePath, type Place, readDocument, type Tool, ToolRefusal, tools } from './tools.ts';

/** A text that an assistant can read, from the root of the server. */
export interface Document {
  readonly title: string;
  readonly path: string;
}

/** Characters of a tool's text; the rest is left out, and said to be. */
const longestText = 100_000;

/** The code of JSON-RPC for parameters that are wrong. */
const invalidParams = -32602;

export interface Sdk {
  readonly createMcpHandler: typeof createMcpHandler;
  readonly ProtocolError: typeof ProtocolError;
  readonly Server: typeof Server;
}

/** How the arguments of a tool are checked, once one was called. */
const checks = new Map<Tool, ValidateFunction>();
const ajv = new Ajv({ strict: false });

/** A server of the protocol for one request. It knows nothing of the one before. */
export function tutorFor(sdk: Sdk, place: Place, descriptions: readonly Document[]): Server {
  const { Server, ProtocolError } = sdk;
  const documents = [
    ...descriptions,
    ...guides.map(({ name, title }) => ({ title: `Guide: ${title}`, path: guidePath(name) })),
  ];
  const wrong = (detail: string) => new ProtocolError(invalidParams, detail);
  const server = new Server(
    { name: 'l-plate', title: 'L-Plate', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: tools.map(described) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw wrong('There is no such tool. tools/list has those that there are.');
    try {
      return answer(await tool.run(argumentsOf(tool, params.arguments) as never, place));
    } catch (error) {
      if (error instanceof ToolRefusal) return { ...answer(error.message), isError: true };
      throw error;
    }
  });
  server.setRequestHandler('resources/list', async () => ({
    resources: documents.map(({ title, path }) => ({ uri: uriOf(path), name: path, title })),
  }));
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const document = documents.find(({ path }) => uriOf(path) === uri);
    if (!document) throw wrong('There is no such resource. resources/list has those that there are.');
    try {
      return { contents: [{ uri, text: await readDocument(place, document.path) }] };
    } catch (error) {
      throw error instanceof ToolRefusal ? wrong('The resource could not be read. Try again later.') : error;
    }
  });
  server.setRequestHandler('prompts/list', async () => ({
    prompts: prompts.map(({ text: _text, ...prompt }) => prompt),
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name } }) => {
    const prompt = prompts.find((each) => each.name === name);
    if (!prompt) throw wrong('There is no such prompt. prompts/list has those that there are.');
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text } }],
    };
  });
  return server;
}

/** The URI of a document; the address of the service may be any. */
const uriOf = (path: string) => `lplate:${path}`;

function described({ name, title, description, inputSchema, reads }: Tool) {
  const annotations = { readOnlyHint: reads, destructiveHint: false, openWorldHint: false };
  return { name, title, description, inputSchema, annotations };
}

function argumentsOf(tool: Tool, given: unknown = {}): unknown {
  const check = checks.get(tool) ?? ajv.compile(tool.inputSchema);
  checks.set(tool, check);
  if (check(given)) return given;
  const [fault] = check.errors ?? [];
  throw new ToolRefusal(`The arguments${fault?.instancePath ?? ''} are wrong: ${fault?.message}.`);
}

function answer(text: string) {
  const whole = text.length <= longestText;
  const shown = whole ? text : `${text.slice(0, longestText)}\n(The rest is left out.)`;
  return { content: [{ type: 'text', text: shown }] };
}
