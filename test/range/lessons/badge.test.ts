import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { verifyEs256 as verify } from '../../../console/model/es256.ts';
import { checkBadge } from '../../../src/text/badge.ts';
import { badgeIn } from '../../../src/text/badge-file.ts';
import { forEachEngine, onSqlite } from '../../support/engines.ts';
import { type LPlate, startWithClient } from '../../support/lplate.ts';

const at = (lplate: LPlate) => ({ verify, now: lplate.clock.now() });

/** A file that has the badge of a client, by the media type that is asked for. */
async function fileOf(lplate: LPlate, token: string, type: string): Promise<Uint8Array> {
  const headers = { Authorization: `Bearer ${token}`, Accept: type };
  const answer = await fetch(`${lplate.url}/range/v1/me/badge`, { headers });
  deepEqual([answer.status, answer.headers.get('content-type')?.split(';')[0]], [200, type]);
  return answer.bytes();
}

forEachEngine((engine) => {
  test('Decisions, badge: it says what the certificate says, and whoever has it can check it without the service', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    const { certificate } = (await lplate.call('GET', '/range/v1/me/certificate', { token })).json;
    const answer = await lplate.call('GET', '/range/v1/me/badge', { token });
    equal(answer.headers.get('content-type'), 'application/vc+jwt');
    const { fault, key, credential } = await checkBadge(answer.text, at(lplate));
    equal(fault, undefined);
    const { issuer, credentialSubject } = credential as { issuer: { id: string }; credentialSubject: { id: string } };
    deepEqual([issuer.id, credentialSubject.id], [key, `urn:l-plate:client:${client.id}`]);
    const { narrative } = credentialSubject as unknown as { narrative: string };
    for (const { title } of certificate.lessons) ok(narrative.includes(`- ${title}, level 1, 2026-03-02`), title);
    ok(certificate.lessons.length > 0);
  });
});

onSqlite((engine) => {
  test('Decisions, badge: in a picture it is the same, and the picture is still one', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const svg = await fileOf(lplate, token, 'image/svg+xml');
    const png = await fileOf(lplate, token, 'image/png');
    for (const file of [svg, png]) {
      const badge = badgeIn(file) ?? '';
      equal((await checkBadge(badge, at(lplate))).fault, undefined);
    }
    match(Buffer.from(svg).toString(), /^<svg [^>]*xmlns:openbadges="https:\/\/purl\.imsglobal\.org\/ob\/v3p0">/);
    const chunks = chunksOf(Buffer.from(png));
    deepEqual([chunks[0]?.type, chunks[1]?.type, chunks.at(-1)?.type], ['IHDR', 'iTXt', 'IEND']);
    const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
    ok(inflateSync(pixels).length > 512 * 512);
    const { credential, jwt } = JSON.parse(Buffer.from(await fileOf(lplate, token, 'application/json')).toString());
    deepEqual((await checkBadge(jwt, at(lplate))).credential, credential);
  });

  test('Decisions, badge: what is no file with a badge is taken for none', () => {
    const files = [
      '<svg/>',
      '<svg><openbadges:credential/></svg>',
      '\x89PNG\r\n\x1a\n',
      '\x89PNG\r\n\x1a\n\xff\xff\xff\xffiTXt',
    ];
    for (const file of files) equal(badgeIn(Buffer.from(file, 'latin1')), undefined, file);
    equal(badgeIn(Uint8Array.of(0xff, 0xfe)), undefined);
    equal(badgeIn(Buffer.from(' a.b.c\n')), 'a.b.c');
  });

  test('Decisions, badge: with ISSUER_NAME and ISSUER_URL a trainer gives it', async (t) => {
    const issuer = { issuerName: 'School of APIs', issuerUrl: 'https://school.example/api' };
    const { lplate, token } = await startWithClient(t, engine, issuer);
    const { text } = await lplate.call('GET', '/range/v1/me/badge', { token });
    const { fault, credential } = await checkBadge(text, at(lplate));
    equal(fault, undefined);
    deepEqual(credential?.['issuer'], {
      ...{ id: 'https://school.example/api', type: ['Profile'], name: 'School of APIs' },
      url: 'https://school.example/api',
    });
  });
});

function chunksOf(png: Buffer) {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}
