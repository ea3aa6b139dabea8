import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { resolveNames } from '../../src/webhooks/name-lookup.ts';
import { findTarget } from '../../src/webhooks/target.ts';

const strict = { allowed: [], loopback: false };

/** Addresses by name and kind of record. A name that is not there does not exist; `null` is never answered. */
type Zone = Record<string, { A?: string | null; AAAA?: string | null }>;

/** A name server on 127.0.0.1 that knows just these. Returns its address, and the names that it was asked for. */
async function nameServer(t: TestContext, zone: Zone): Promise<{ server: string; asked: string[] }> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const answer = respond(query, zone, asked);
    if (answer) socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { server: `127.0.0.1:${socket.address().port}`, asked };
}

/** One question, one answer (RFC 1035, 4). */
function respond(query: Buffer, zone: Zone, asked: string[]): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.');
  asked.push(name);
  const kind = query.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA';
  const known = zone[name];
  const address = known?.[kind];
  if (address === null) return undefined;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(address ? 1 : 0, 6);
  header.fill(0, 8, 12);
  const question = query.subarray(12, at + 5);
  if (!address) return Buffer.concat([header, question]);
  const data = kind === 'A' ? address.split('.').map(Number) : sixteen(address);
  const record = Buffer.from([0xc0, 12, 0, kind === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
  return Buffer.concat([header, question, record]);
}

const sixteen = (address: string) =>
  address.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);

const zone: Zone = {
  'both.net': { A: '198.41.0.4', AAAA: '2620:0:0:0:0:0:0:1' },
  'four.net': { A: '198.41.0.4' },
  'six.net': { AAAA: '2620:0:0:0:0:0:0:1' },
  'none.net': {},
  'inner.net': { A: '10.0.0.7' },
  'half.net': { A: '198.41.0.4', AAAA: null },
  'silent.net': { A: null, AAAA: null },
  'unsure.net': { AAAA: null },
};

const judge = async (name: string, server: string): Promise<unknown> => {
  const found = await findTarget(new URL(`http://${name}/`), strict, resolveNames([server]));
  return 'refused' in found ? found.refused : found.map(({ address }) => address);
};

test('Decisions, claims and events: the name of a webhook is asked of the name servers, for addresses of both kinds', async (t) => {
  const { server, asked } = await nameServer(t, zone);
  assert.deepEqual(await judge('both.net', server), ['198.41.0.4', '2620::1']);
  assert.deepEqual(await judge('four.net', server), ['198.41.0.4']);
  assert.deepEqual(await judge('six.net.', server), ['2620::1']);
  assert.deepEqual(asked, ['both.net', 'both.net', 'four.net', 'four.net', 'six.net', 'six.net']);
  assert.match(String(await judge('inner.net', server)), /private/);
});

test('Decisions, claims and events: a name without an address, and one that can’t be looked up, are told apart', async (t) => {
  const { server } = await nameServer(t, zone);
  for (const name of ['none.net', 'unknown.net']) assert.match(String(await judge(name, server)), /no address/);
  assert.deepEqual(await judge('half.net', server), ['198.41.0.4']);
  const started = [judge('silent.net', server), judge('unsure.net', server)];
  for (const refused of await Promise.all(started))
    assert.match(String(refused), /could not be looked up; try again later/);
});

test('Decisions, claims and events: names whose servers never answer don’t hold up another name', async (t) => {
  const { server } = await nameServer(t, zone);
  let over = 0;
  const silent = Array.from({ length: 50 }, () => judge('silent.net', server).then(() => (over += 1)));
  assert.deepEqual(await judge('four.net', server), ['198.41.0.4']);
  assert.equal(over, 0, 'it was answered first');
  await Promise.all(silent);
});

test('Decisions, claims and events: names that the public DNS does not have are looked up as the system does, within five seconds', async (t) => {
  const { server, asked } = await nameServer(t, zone);
  assert.match(String(await judge('localhost', server)), /loopback/);
  assert.match(String(await judge('LOCALHOST.', server)), /loopback/);
  for (const name of ['receiver', 'printer.local', 'nobody.invalid', 'a.b.internal', 'x.home.arpa']) {
    assert.match(String(await judge(name, server)), /^its host name/, name);
  }
  assert.deepEqual(asked, []);
  assert(!process.getActiveResourcesInfo().includes('Timeout'), 'a timer is left behind');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const slow = judge('nobody.invalid', server);
  t.mock.timers.tick(5_000);
  assert.match(String(await slow), /could not be looked up; try again later/);
});
