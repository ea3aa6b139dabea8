import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { bytesInUse } from '../support/bytes-in-use.ts';
import { claimOfNewClient, files, form, formType, jpegOf, part, upload } from '../support/documents.ts';
import { forEachEngine, onSqlite } from '../support/engines.ts';
import type { LPlate } from '../support/lplate.ts';
import { startLPlate } from '../support/lplate.ts';
import { countStored } from '../support/stored.ts';

interface Claim {
  readonly token: string;
  readonly path: string;
}

/** Opens a connection, and announces a form of so many bytes on it. */
function announce({ url }: LPlate, { token, path }: Claim, length: number) {
  const socket = connect(Number(new URL(url).port), 'localhost').on('error', () => {});
  const headers = [`Authorization: Bearer ${token}`, `Content-Type: ${formType}`, `Content-Length: ${length}`];
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${headers.join('\r\n')}\r\n\r\n`);
  return socket;
}

const megabyte = 2 ** 20;

forEachEngine((engine) => {
  test('Decisions, statements: a form that is cut off leaves nothing behind, wherever it was cut', async (t) => {
    const lplate = await startLPlate(t, engine);
    const claim = await claimOfNewClient(lplate);
    const body = form(part(jpegOf(megabyte)));
    const cuts = [0, 1, 10, 60, 100, 1000, 65_536, 500_000, body.length - 12, body.length - 5, body.length - 1];
    for (const cut of cuts) {
      const socket = announce(lplate, claim, body.length);
      socket.write(body.subarray(0, cut));
      await pause(20);
      socket.destroy();
    }
    // Half of it with an end that is proper HTTP.
    for (const cut of cuts.slice(3, -2)) {
      const answer = await lplate.call('POST', claim.path, {
        token: claim.token,
        body: new Uint8Array(body.subarray(0, cut)),
        headers: { 'Content-Type': formType },
      });
      assert.equal(answer.status, 400, `${cut}`);
    }
    assert.equal(await countStored(lplate, 'claim_documents'), 0);
    assert.equal((await upload(lplate, claim, jpegOf(megabyte))).status, 201);
  });

  test('Decisions, statements: a form that comes byte by byte is 408 in the time of a request, and leaves nothing behind', async (t) => {
    const lplate = await startLPlate(t, engine, { requestTimeoutSeconds: 4 });
    const claim = await claimOfNewClient(lplate);
    const body = form(part(jpegOf(megabyte)));
    const began = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = announce(lplate, claim, body.length);
        let [heard, at] = ['', 0];
        const sending = setInterval(() => socket.write(body.subarray(at, ++at)), 1000);
        socket.on('data', (data) => {
          heard += data;
        });
        await once(socket, 'close');
        clearInterval(sending);
        return heard;
      }),
    );
    for (const heard of answers) assert.match(heard, /^HTTP\/1\.1 408 .*request-timeout/s);
    assert.ok(Date.now() - began < 10_000);
    assert.equal(await countStored(lplate, 'claim_documents'), 0);
    assert.equal((await upload(lplate, claim)).status, 201);
  });
});

onSqlite((engine) => {
  test('Decisions, statements: forms that are broken at random are answered, and memory stays flat', async (t) => {
    const lplate = await startLPlate(t, engine, { logLevel: 'fatal' });
    let claim = await claimOfNewClient(lplate);
    const whole = form(
      part(files.jpeg, `; name="file"; filename*=utf-8''a%00.jpg; filename="a.jpg"`),
      part('x', '; name="note"'),
    ).toString('latin1');
    const bits = ['\r\n', '--', 'xYzZy', '\r\n--xYzZy', '"', ';', '\0', '=', '*', ':', "'", '%', '\\', '\r', '\n'];
    const change = fc.tuple(fc.nat(whole.length), fc.nat(20), fc.constantFrom('', ...bits));
    let taken = 0;
    const send = async (changes: readonly [number, number, string][]) => {
      const text = changes.reduce((all, [at, cut, more]) => all.slice(0, at) + more + all.slice(at + cut), whole);
      const { status, text: said } = await lplate.call('POST', claim.path, {
        token: claim.token,
        body: new Uint8Array(Buffer.from(text, 'latin1')),
        headers: { 'Content-Type': formType },
      });
      assert.ok(status === 201 || status === 400, `${status} ${said}`);
      taken += status === 201 ? 1 : 0;
      if (status === 201 && taken % 5 === 0) claim = await claimOfNewClient(lplate);
    };
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), send);
    await fc.assert(property, { numRuns: 1000 });
    const before = bytesInUse();
    await fc.assert(property, { numRuns: 3000 });
    for (let at = 0; at < 50; at += 1) {
      const { status } = await upload(lplate, claim, Buffer.alloc(megabyte, 'x'));
      assert.equal(status, 400);
    }
    await pause(3000);
    const grown = bytesInUse() - before;
    assert.ok(grown < 30 * megabyte, `${Math.round(grown / megabyte)} MB`);
    assert.equal(await countStored(lplate, 'claim_documents'), taken);
  });
});
