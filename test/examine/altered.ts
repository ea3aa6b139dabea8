import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A call as it came, and the answer of L-Plate to it, which a test alters. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A service between an examination and L-Plate. Returns its address, which stands for `/insurer/v1`, and the calls that came. */
export async function altered(
  t: TestContext,
  target: string,
  alter: (passing: Passing) => void = () => {},
): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const body = await bodyOf(request);
    calls.push(`${method} ${path} ${body}`);
    const { authorization, 'content-type': type, soapaction } = request.headers;
    const answer = await fetch(target + path, {
      method,
      headers: {
        ...(authorization && { authorization }),
        ...(type && { 'content-type': type }),
        ...(typeof soapaction === 'string' && { soapaction }),
      },
      ...(body && { body }),
    });
    const headers = Object.fromEntries(
      [...answer.headers].filter(([name]) => !/^(connection|content-length|date|keep-alive)$/.test(name)),
    );
    const passing = { method, path, status: answer.status, headers, body: await answer.text() };
    alter(passing);
    response.writeHead(passing.status, passing.headers).end(passing.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/insurer/v1`, calls };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
