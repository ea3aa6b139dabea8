import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '../../support/server-process.ts';
import { steadyPort } from '../../support/steady-port.ts';
import { programs } from './requirements.ts';

/** A Redis without persistence: after its end it is empty. */
export class RedisServer extends ServerProcess {
  readonly url: string;
  readonly #home: string;

  constructor(home: string, port: number) {
    super({
      ...{ name: 'Redis', file: programs.redis, home, orderly: 'SIGTERM' },
      args: ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'],
      answers: () => pings(port),
    });
    this.url = `redis://127.0.0.1:${port}`;
    this.#home = home;
  }

  /** Ends the server and removes its files. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#home, { recursive: true, force: true, maxRetries: 3 });
  }
}

export async function startRedis(): Promise<RedisServer> {
  const server = new RedisServer(await mkdtemp(join(tmpdir(), 'l-plate-redis-')), await steadyPort());
  await server.start().catch((error) => server.stop().then(() => Promise.reject(error)));
  return server;
}

/** In the protocol's own words, with nothing of the client that is tested. */
async function pings(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8').setTimeout(1_000);
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  try {
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data');
    return answer === '+PONG\r\n';
  } finally {
    socket.destroy();
  }
}
