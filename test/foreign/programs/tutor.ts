/* The tutor by the official client, as it is configured out of the box: of every tool, resource and prompt what came back. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url = '', token = '', calls = '{}'] = process.argv.slice(2);

const client = new Client({ name: 'test', version: '1.0.0' });
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));

const { tools } = await client.listTools();
const failed: string[] = [];
for (const [name, args] of Object.entries<Record<string, unknown>>(JSON.parse(calls))) {
  const { isError, content } = await client.callTool({ name, arguments: args });
  if (isError || content[0]?.type !== 'text') failed.push(name);
}
const { resources } = await client.listResources();
const read: number[] = [];
for (const { uri } of resources) {
  const [text] = (await client.readResource({ uri })).contents;
  read.push(text && 'text' in text ? text.text.length : 0);
}
const { prompts } = await client.listPrompts();
const messages: number[] = [];
for (const { name } of prompts) messages.push((await client.getPrompt({ name })).messages.length);
await client.close();

console.log(JSON.stringify({ tools: tools.map(({ name }) => name), failed, read, messages }));
