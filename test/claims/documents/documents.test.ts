import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { claimOfNewClient, files, jpegOf, upload } from '../../support/documents.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate } from '../../support/lplate.ts';
import { metric } from '../../support/metric.ts';
import { clientWithPeople, tokensFor } from '../../support/people.ts';
import { alter, countStored, stored } from '../../support/stored.ts';
import { claimOn, insure } from '../../support/topic.ts';

const digestOf = (bytes: Uint8Array) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

/** Reads bytes as they are. */
async function download(lplate: LPlate, token: string, path: string, headers: object = {}, method = 'GET') {
  const response = await fetch(lplate.url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

forEachEngine((engine) => {
  test('Decisions, statements: a document of a claim is added, listed and read as it was, and its type is told by its bytes', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token, path } = await claimOfNewClient(lplate);
    const types = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp', pdf: 'application/pdf' };
    const added = [];
    for (const [kind, mediaType] of Object.entries(types)) {
      const content = files[kind as keyof typeof files];
      // Neither the name nor the type of the part counts.
      const answer = await upload(lplate, { token, path }, content, 'C:\\Photos\\my scan.html');
      assert.equal(answer.status, 201, answer.text);
      const { id, ...rest } = answer.json;
      assert.match(id, /^doc-[0-9a-f-]{36}$/);
      assert.deepEqual(rest, {
        claimId: path.split('/')[4],
        name: `my scan.html.${kind === 'jpeg' ? 'jpg' : kind}`,
        mediaType,
        size: content.length,
        digest: digestOf(content),
        createdAt: '2026-03-02T10:15:30.000Z',
      });
      assert.equal(answer.headers.get('location'), `${lplate.config.publicUrl}${path}/${id}`);
      const read = await download(lplate, token, `${path}/${id}`);
      assert.equal(read.status, 200);
      assert.deepEqual(read.bytes, content);
      const shown = (name: string) => read.headers.get(name);
      assert.equal(shown('content-type'), mediaType);
      assert.equal(shown('content-digest'), digestOf(content));
      assert.equal(shown('content-disposition'), `attachment; filename="${rest.name}"`);
      assert.equal(shown('x-content-type-options'), 'nosniff');
      assert.equal(shown('content-security-policy'), 'sandbox');
      assert.equal(shown('accept-ranges'), 'bytes');
      added.push(answer.json);
    }
    const list = await lplate.call('GET', path, { token });
    assert.deepEqual([list.json.items, list.json.totalItems], [added, 4]);
    const second = await lplate.call('GET', `${path}?page=2&pageSize=3`, { token });
    assert.deepEqual([second.json.items, second.json.totalPages], [added.slice(3), 2]);
  });

  test('Decisions, statements: of a document a range is sent, with the digest of it and of all, and HEAD sends none', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token, path } = await claimOfNewClient(lplate);
    const content = jpegOf(100_000);
    const { json } = await upload(lplate, { token, path }, content);
    const at = `${path}/${json.id}`;
    const tag = (await download(lplate, token, at)).headers.get('etag') as string;
    for (const [headers, first, last] of [
      [{ Range: 'bytes=0-99' }, 0, 99],
      [{ Range: 'bytes=99990-' }, 99_990, 99_999],
      [{ Range: 'bytes=-10' }, 99_990, 99_999],
      [{ Range: 'bytes=50000-500000' }, 50_000, 99_999],
      [{ Range: 'bytes=10-19', 'If-Range': tag }, 10, 19],
    ] as const) {
      const part = await download(lplate, token, at, headers);
      const bytes = content.subarray(first, last + 1);
      assert.equal(part.status, 206);
      assert.deepEqual(part.bytes, bytes);
      assert.equal(part.headers.get('content-range'), `bytes ${first}-${last}/100000`);
      assert.equal(part.headers.get('content-digest'), digestOf(bytes));
      assert.equal(part.headers.get('repr-digest'), digestOf(content));
    }
    const whole = [
      { Range: 'bytes=0-1,5-6' },
      { Range: 'bytes=9-2' },
      { Range: 'lines=1-2' },
      { Range: 'bytes=-' },
      { Range: 'bytes=1-2', 'If-Range': '"other"' },
      { Range: 'bytes=1-2', 'If-Range': `W/${tag}` },
      { Range: 'bytes=1-2', 'If-Range': 'Mon, 02 Mar 2026 10:15:30 GMT' },
    ];
    for (const headers of whole) {
      const all = await download(lplate, token, at, headers);
      assert.deepEqual([all.status, all.bytes.length], [200, 100_000], JSON.stringify(headers));
    }
    for (const Range of ['bytes=100000-', 'bytes=-0', 'bytes=999999999999999-999999999999999']) {
      const none = await lplate.call('GET', at, { token, headers: { Range } });
      assert.deepEqual(problem(none), [416, 'range-not-satisfiable'], Range);
      assert.equal(none.headers.get('content-range'), 'bytes */100000');
      assert.equal(none.headers.get('content-disposition'), null);
      assert.ok(none.json.detail.length <= 180);
    }
    const head = await download(lplate, token, at, { Range: 'bytes=0-1' }, 'HEAD');
    assert.deepEqual([head.status, head.bytes.length, head.headers.get('content-length')], [200, 0, '100000']);
    // RFC 9530, appendix B.2: that of nothing, and of the whole.
    assert.equal(head.headers.get('content-digest'), digestOf(Buffer.alloc(0)));
    assert.equal(head.headers.get('repr-digest'), digestOf(content));
    const known = await lplate.call('GET', at, { token, headers: { 'If-None-Match': tag } });
    assert.deepEqual([known.status, known.text], [304, '']);
    const failed = await lplate.call('GET', at, { token, headers: { 'If-Match': '"other"' } });
    assert.deepEqual(problem(failed), [412, 'precondition-failed']);
  });

  test('Decisions, statements: documents are of their claim alone, and go with the client that has it', async (t) => {
    const lplate = await startLPlate(t, engine);
    const own = await claimOfNewClient(lplate);
    const other = await claimOfNewClient(lplate);
    const { json } = await upload(lplate, own);
    for (const [method, path] of [
      ['GET', own.path],
      ['GET', `${own.path}/${json.id}`],
      ['HEAD', `${own.path}/${json.id}`],
    ] as const)
      assert.equal((await lplate.call(method, path, { token: other.token })).status, 404);
    assert.deepEqual(problem(await upload(lplate, { ...other, path: own.path })), [404, 'claim-not-found']);
    const lost = await lplate.call('GET', `${other.path}/${json.id}`, { token: other.token });
    assert.deepEqual(problem(lost), [404, 'document-not-found']);
    const reader = await lplate.token(own.client.id, own.client.secret, 'claims:read');
    assert.deepEqual(problem(await upload(lplate, { ...own, token: reader })), [403, 'insufficient-scope']);
    assert.equal((await lplate.call('GET', `${own.path}/${json.id}`, { token: reader })).status, 200);
    assert.equal(await countStored(lplate, 'claim_documents'), 1);
    const reset = await lplate.call('POST', '/range/v1/me/reset', { token: own.token, json: {} });
    assert.ok(reset.status < 300, reset.text);
    assert.equal(await countStored(lplate, 'claim_documents'), 0);
  });

  test('Decisions, statements: a person adds and reads documents of the claims of that person alone', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { client, people } = await clientWithPeople(lplate);
    const [one, other] = people as [(typeof people)[0], (typeof people)[0]];
    const { json } = await lplate.call('POST', '/policies', {
      token: client.token,
      json: { regNumber: 'DOC-1', holder: one.name },
    });
    const path = `/claims/v1/claims/${await claimOn(lplate, client.token, json.id)}/documents`;
    const scope = 'claims:read claims:write';
    const tokenOf = async (person: typeof one) => (await tokensFor(lplate, client, person, scope)).access_token;
    const [own, foreign] = [await tokenOf(one), await tokenOf(other)];
    const added = await upload(lplate, { token: own, path });
    assert.equal(added.status, 201, added.text);
    assert.equal((await lplate.call('GET', `${path}/${added.json.id}`, { token: own })).status, 200);
    assert.equal((await upload(lplate, { token: foreign, path })).status, 404);
    assert.equal((await lplate.call('GET', `${path}/${added.json.id}`, { token: foreign })).status, 404);
  });

  test('Decisions, statements: with an Idempotency-Key a document is added once, also if the form is made again', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token, path } = await claimOfNewClient(lplate);
    const key = { 'Idempotency-Key': '"once"' };
    const first = await upload(lplate, { token, path }, files.png, 'a.png', key);
    const again = await lplate.call('POST', path, {
      token,
      body: `--other\r\nContent-Disposition: form-data; name=file; filename=a.png\r\n\r\n`,
      headers: { 'Content-Type': 'multipart/form-data; boundary=other', ...key },
    });
    assert.equal(again.status, 400);
    const form = new FormData();
    form.append('file', new Blob([files.png]), 'a.png');
    const headers = { Authorization: `Bearer ${token}`, ...key };
    const replayed = await fetch(lplate.url + path, { method: 'POST', headers, body: form });
    assert.deepEqual([replayed.status, replayed.headers.get('idempotency-replayed')], [201, 'true']);
    assert.deepEqual(await replayed.json(), first.json);
    assert.deepEqual(problem(await upload(lplate, { token, path }, files.jpeg, 'a.jpg', key)), [
      422,
      'idempotency-key-reused',
    ]);
    assert.equal(await countStored(lplate, 'claim_documents'), 1);
  });

  test('Limits: a claim has five documents of at most 1 MiB, and a client 20 MiB of them', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token, path } = await claimOfNewClient(lplate);
    const mebibyte = 1024 * 1024;
    const tooLarge = await upload(lplate, { token, path }, jpegOf(mebibyte + 1));
    assert.deepEqual(problem(tooLarge), [413, 'payload-too-large']);
    assert.deepEqual(problem(await upload(lplate, { token, path }, jpegOf(2 * mebibyte))), [413, 'payload-too-large']);
    const five = await Promise.all(Array.from({ length: 7 }, () => upload(lplate, { token, path }, jpegOf(mebibyte))));
    const statuses = five.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429, 429]);
    const refused = five.find(({ status }) => status === 429);
    assert.equal(refused?.json.type.split('/').at(-1), 'quota-exceeded');
    const last = [];
    for (let claim = 0; claim < 3; claim += 1) {
      const next = `/claims/v1/claims/${await claimOn(lplate, token, await insure(lplate, token))}/documents`;
      for (let at = 0; at < 5; at += 1) last.push(await upload(lplate, { token, path: next }, jpegOf(mebibyte)));
    }
    assert.deepEqual(
      last.map(({ status }) => status),
      [...Array(14).fill(201), 429],
    );
    const full = last.at(-1) as Answer;
    assert.match(full.json.detail, /20971520 bytes of documents/);
    assert.ok(full.json.detail.length <= 180);
    const kept = await metric(lplate, 'lplate_claim_document_bytes');
    assert.equal(kept, 19 * (mebibyte + 16 * 1024));
  });

  test('Limits: of the room for all documents an address has what is left for the others', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [one, other] = [await claimOfNewClient(lplate), await claimOfNewClient(lplate)];
    const { json } = await upload(lplate, one);
    // As if it had many bytes.
    const have = (size: number, whose = '') =>
      alter(lplate, `update claim_documents set size = ${size} ${whose} where id = '${json.id}'`);
    await have(300e6);
    const ofAddress = await upload(lplate, other);
    assert.deepEqual(problem(ofAddress), [503, 'unavailable']);
    assert.match(ofAddress.json.detail, /from your address\. Yours was refused and changed nothing/);
    assert.equal(ofAddress.headers.get('retry-after'), '60');
    await have(511.9e6, ", address = '192.0.2.1'");
    assert.equal((await upload(lplate, other)).status, 201);
    await have(530e6);
    assert.equal((await upload(lplate, other)).status, 201);
    await have(543.99e6);
    const full = await upload(lplate, other);
    assert.deepEqual([full.status, /of all clients/.test(full.json.detail)], [503, true]);
    assert.equal(await countStored(lplate, 'claim_documents'), 3);
  });

  test('Decisions, statements: the log of exchanges has the type and size of a document, and none of its bytes', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token, path } = await claimOfNewClient(lplate);
    // All of it is text.
    const { json } = await upload(lplate, { token, path }, Buffer.from('%PDF-1.7 hello'), 'a.pdf');
    await download(lplate, token, `${path}/${json.id}`);
    const list = await lplate.call('GET', '/range/v1/me/exchanges?pageSize=2', { token });
    const read = (id: string) => lplate.call('GET', `/range/v1/me/exchanges/${id}`, { token });
    const both = await Promise.all(list.json.items.map(async ({ id }: { id: string }) => (await read(id)).json));
    const texts = both.map(({ method, request, response }) => (method === 'POST' ? request : response).body);
    assert.deepEqual(
      texts.map(({ text, bytes, omitted }) => [text.replace(/\d+ bytes/, 'N bytes'), bytes > 13, omitted]).toSorted(),
      [
        ['(application/pdf, N bytes, not kept)', true, true],
        ['(multipart/form-data, N bytes, not kept)', true, true],
      ],
    );
    const rows = await stored(lplate, 'select * from exchanges');
    assert.ok(!JSON.stringify(rows).includes('hello'));
  });
});
