/*
 * The first stage of an insurer of your own, to go on from: it lists the coverage options. Needs Node.js 20 or newer:
 *
 *   PORT=9000 node insurer.js
 *   l-plate examine http://localhost:9000/insurer/v1
 */
import { createServer } from 'node:http';

const port = Number(process.env.PORT ?? 9000);

const options = [
  { code: 'MTPL-1M', name: 'One month', term: 'P1M' },
  { code: 'MTPL-3M', name: 'Three months', term: 'P3M' },
  { code: 'MTPL-6M', name: 'Six months', term: 'P6M' },
  { code: 'MTPL-12M', name: 'Twelve months', term: 'P1Y' },
];

/** By method and path: the status of the answer and its JSON. */
const routes = {
  'GET /insurer/v1/coverage-options': () => [200, { options }],
};

/** The body of a request, which has come in parts. */
async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request);
  const [path] = request.url.split('?');
  const route = routes[`${request.method} ${path}`];
  // The second stage says what an address that you do not have is answered with.
  const [status, answer] = route ? route(request, body) : [404, {}];
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(answer));
});

server.listen(port, '127.0.0.1', () => console.log(`ready ${server.address().port}`));
