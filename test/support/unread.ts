import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/*
 * Callers that send and do not read. Their sockets are paused before the first byte, so that answers stay where they
 * are: in the buffers of the operating system, and then in the server.
 */

/** Opens so many connections, sends the bytes on each, and reads nothing. All are gone when the test ends. */
export async function openUnread(t: TestContext, url: string, count: number, bytes: string): Promise<Socket[]> {
  const port = Number(new URL(url).port);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      t.after(() => socket.destroy());
      await once(socket, 'connect');
      socket.pause().write(bytes);
      return socket;
    }),
  );
}

export const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** One GET after the other until there are so many bytes. */
export function manyGets(path: string, bytes: number): string {
  const request = get(path);
  return request.repeat(Math.floor(bytes / request.length));
}
