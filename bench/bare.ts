import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './answer.ts';

/*
 * The yardstick, a process of its own: node:http and nothing else. It is told its answer, and replies with its port;
 * to an empty question it replies with the seconds of processor time it has taken.
 */

process.on('message', ({ answer, parses }: { answer?: Answer; parses?: boolean }) => {
  if (answer) serve(answer, parses === true);
  else {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  }
});
process.on('SIGTERM', () => process.exit());

function serve({ status, headers, body }: Answer, parses: boolean): void {
  const send = (response: ServerResponse) => response.writeHead(status, headers).end(body);
  const server = createServer((request, response) => {
    if (!parses) {
      send(response);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      send(response);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}
