import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Usage } from './servers.ts';

/*
 * The yardstick of the streams, a process of its own: node:http, and a list of the responses that are open. It replies
 * with its port at first. A text it writes to all of them, and replies with the time at which it began; to an empty one
 * it replies with the processor time it has taken and the memory it has in use.
 */

const open: ServerResponse[] = [];

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('retry: 3000\n');
  open.push(response);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

process.on('message', (text: string) => {
  if (text === '') {
    const { user, system } = process.cpuUsage();
    const usage: Usage = { cpu: (user + system) / 1e6, memory: process.memoryUsage.rss() / 1e6 };
    process.send?.(usage);
    return;
  }
  const at = Number(process.hrtime.bigint()) / 1e6;
  for (const response of open) response.write(text);
  process.send?.(at);
});
process.on('SIGTERM', () => process.exit());
