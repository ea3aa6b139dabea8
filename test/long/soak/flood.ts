import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { TestClient } from '../../support/lplate.ts';

/*
 * One address that takes what it can, by many clients: calls far above every limit, calls under the prefixes of others,
 * guesses of their secrets, kits for made-up places, streams, calls that wait in a drill, bodies that don't arrive. It begins
 * at the message `true`, lets go of all at `false`, and tells what it was answered.
 */

export interface Flood {
  readonly url: string;
  readonly address: string;
  readonly clients: readonly TestClient[];
  /** Whose prefixes it uses, and whose secrets it guesses. */
  readonly victims: readonly string[];
}

const { url, address, clients, victims } = workerData as Flood;

/** Calls of one tick, and milliseconds between two: 500 a second. */
const callsEach = 10;
const tickMs = 20;

/** Streams and slow bodies that it tries to have. */
const streams = 600;
const bodies = 200;

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const answers: Record<string, number> = {};
const held = new Set<ClientRequest | Socket>();
let running = false;

parentPort?.on('message', (run: boolean) => {
  running = run;
  if (run) void flood();
  else {
    for (const each of held) each.destroy();
    held.clear();
    parentPort?.postMessage(answers);
  }
});

async function flood(): Promise<void> {
  for (let at = 0; running; at += 1) {
    if (at % 5 === 0) fill();
    for (let call = 0; call < callsEach; call += 1) send(at * callsEach + call);
    await pause(tickMs);
  }
}

const pick = <T>(from: readonly T[], at: number) => from[at % from.length] as T;

function send(at: number): void {
  const { token } = pick(clients, at);
  const victim = pick(victims, at);
  const bearer = { Authorization: `Bearer ${token}` };
  const guess = JSON.stringify({ client_id: victim, client_secret: 'guessed' });
  const json = { 'Content-Type': 'application/json' };
  const calls: [string, string, Record<string, string>, string?][] = [
    ['GET', '/insurer/v1/policies', { ...bearer, 'X-Filler': 'y'.repeat(3000) }],
    ['GET', `/for/${victim}/insurer/v1/limited/ping`, {}],
    ['POST', '/insurer/v1/auth/token', json, guess],
    ['GET', '/kits/l-plate-bruno.zip', { Host: `h${at}.example` }],
    ['POST', '/insurer/v1/policies', { ...bearer, ...json }, JSON.stringify({ regNumber: 'z'.repeat(15_000) })],
  ];
  const [method, path, headers, body] = pick(calls, at);
  const asked = request(
    url + path,
    { method, agent, headers: { ...headers, 'X-Forwarded-For': address } },
    (answer) => {
      note(answer);
      answer.resume();
    },
  );
  asked.on('error', () => {}).end(body);
}

/** Holds a few more streams, waiting calls and bodies. */
function fill(): void {
  for (let more = 0; more < 10 && held.size < streams; more += 1) {
    const { token } = pick(clients, held.size);
    const path = pick(['/range/v1/me/exchanges', '/range/v1/me/lessons', '/insurer/v1/coverage-options'], more);
    const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, 'X-Forwarded-For': address };
    const asked = request(url + path, { agent: false, headers }, (answer) => {
      note(answer);
      answer.resume();
    });
    held.add(asked);
    asked.on('error', () => {}).on('close', () => held.delete(asked));
    asked.end();
  }
  for (let more = 0; more < 3 && held.size < streams + bodies; more += 1) {
    const { token } = pick(clients, held.size);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    held.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => held.delete(socket))
      .resume();
    socket.write(
      `POST /insurer/v1/policies HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 64000\r\n\r\n{`,
    );
  }
}

function note({ statusCode }: IncomingMessage): void {
  answers[`${statusCode}`] = (answers[`${statusCode}`] ?? 0) + 1;
}
