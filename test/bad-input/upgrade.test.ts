import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { sharedClient, sharedLPlate } from '../support/lplate.ts';
import { assertRefused, base, chunked, close, get, hearFrom, host, length, newClient, type Pieces } from './socket.ts';

const websocket =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n';
const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';

/** Asks for one more address, so that answers can be told apart. */
const other = (more = '') => `GET ${base}/openapi.yaml HTTP/1.1\r\n${host}${more}\r\n`;

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);

  const post = (more: string) =>
    `POST ${base}/policies HTTP/1.1\r\n${host}Authorization: Bearer ${client.token}\r\nContent-Type: application/json\r\n${more}\r\n`;
  async function assertStatuses(speeches: Record<string, [Pieces, number[]]>): Promise<void> {
    for (const [name, [pieces, expected]] of Object.entries(speeches)) {
      const { statuses, end } = await hearFrom(lplate, pieces, { pause: Array.isArray(pieces) ? 50 : 0 });
      assert.deepEqual([statuses, end], [expected, 'closed'], name);
    }
  }

  test('Decisions, REST conventions: requests behind one that asks for an Upgrade are answered, each in its turn', async () => {
    const last = newClient.replace('\r\n\r\n', `\r\n${close}\r\n`);
    await assertStatuses({
      'a websocket': [get(websocket) + other() + last, [200, 200, 201]],
      h2c: [get(h2c) + other() + last, [200, 200, 201]],
      'several in a row': [get(h2c).repeat(20) + other() + last, [...Array(20).fill(200), 200, 201]],
      'behind others': [newClient + other() + get(websocket) + last, [201, 200, 200, 201]],
      'in later reads': [
        [get(h2c), other() + get(websocket) + other(), last],
        [200, 200, 200, 200, 201],
      ],
      'split in the middle': [
        [get(h2c) + other().slice(0, 20), other().slice(20) + last],
        [200, 200, 201],
      ],
      'the last one': [get() + other(`${websocket.replace('Upgrade\r', 'Upgrade, close\r')}`), [200, 200]],
    });
  });

  test('Decisions, REST conventions: a request that asks for an Upgrade may have a body, and more behind it', async () => {
    const body = (plate: string) => `{"regNumber": "UP-${plate}"}`;
    const size = body('1000').length;
    const hexSize = size.toString(16);
    await assertStatuses({
      'with a length': [post(h2c + length(size)) + body('1001') + get(close), [201, 200]],
      'in chunks': [`${post(h2c + chunked)}${hexSize}\r\n${body('1002')}\r\n0\r\n\r\n${get(close)}`, [201, 200]],
      'in two reads': [
        [`${post(h2c + length(size))}{`, `${body('1003').slice(1)}${get()}`, get(close)],
        [201, 200, 200],
      ],
      'too large': [post(h2c + length(70_000)) + ' '.repeat(70_000) + get(close), [413, 200]],
    });
  });

  test('Decisions, REST conventions: what is no HTTP behind an Upgrade is refused after the answers before it', async () => {
    await assertRefused(
      lplate,
      {
        'no HTTP': `${get(h2c)}${other()}BREW!\r\n\r\n${get()}`,
        'no HTTP right behind it': `${other()}${get(h2c)}BREW!\r\n\r\n`,
        'no HTTP in a later read': [other() + get(h2c), 'GET / HTTP/9.9\r\n\r\n'],
        'the preface of HTTP/2': [
          `${other()}${get(h2c)}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
          Buffer.from('000000040000000000', 'hex'),
        ],
        'frames of a websocket': [get(websocket), other(), Buffer.from('818502f1a2c368d4ceaf6d', 'hex')],
        CONNECT: `${get(websocket)}${other()}CONNECT x:443 HTTP/1.1\r\n${host}\r\n${get()}`,
      },
      'malformed-request',
      2,
    );
    const { statuses } = await hearFrom(lplate, get(h2c) + get(close) + get());
    assert.deepEqual(statuses, [200, 200]);
  });
});
