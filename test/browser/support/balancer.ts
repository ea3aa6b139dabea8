import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** Hands each request to the next node, like a load balancer; past a node that is gone, and with 502 if all are. */
export async function startBalancer(t: TestContext, nodes: () => readonly string[]): Promise<string> {
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const body = Buffer.concat(pieces);
      const send = (left: number) => {
        const origins = nodes();
        const origin = origins[turn++ % origins.length];
        if (left === 0 || !origin) return void answer.writeHead(502).end();
        const outgoing = request(new URL(url ?? '/', origin), { method, headers }, (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(answer);
          response.on('error', () => answer.destroy());
          response.on('aborted', () => answer.destroy());
        });
        answer.on('close', () => outgoing.destroy());
        outgoing.on('error', () => (answer.headersSent ? answer.destroy() : send(left - 1)));
        outgoing.end(body);
      };
      send(nodes().length);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
