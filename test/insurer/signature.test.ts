import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { verifySignature } from '../../src/insurer/signature.ts';
import { anyText } from '../support/any-text.ts';
import { processorTime } from '../support/processor-time.ts';

const secret = '3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz';
const body = Buffer.from('{"regNumber":"AB-1234"}');

const mac = (key: string | Buffer, data: string | Buffer, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(data).digest();
const sign = (data: string | Buffer) => mac(secret, data).toString('hex');
const sha = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** The explanation of a refusal, once it is certain that it gives away neither signature. */
function refusal(header: string | string[] | undefined, sent: Buffer = body, key: string = secret): string {
  const verdict = verifySignature(header, sent, key);
  assert(!verdict.valid, 'the signature was taken');
  const right = mac(key, sent);
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    const encoded = right.toString(encoding).replace(/=+$/, '');
    assert(!verdict.detail.toLowerCase().includes(encoded.toLowerCase()), 'the explanation holds the right signature');
  }
  for (const value of [header ?? []].flat()) {
    assert(value.length < 20 || !verdict.detail.includes(value), 'the explanation repeats what arrived');
  }
  return verdict.detail;
}

/** All that is said of a signature in which nothing is recognised. */
const nothingFound = (sent: Buffer) => refusal(randomBytes(32).toString('hex'), sent);

describe('Authentication, 8: which signatures hold', () => {
  test('Authentication, 8: a known body, secret and signature fit', () => {
    // Test case 2 of RFC 4231.
    const known = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
    assert.deepEqual(verifySignature(known, Buffer.from('what do ya want for nothing?'), 'Jefe'), { valid: true });
  });

  test('Authentication, 8: the right signature holds for any bytes and secret, in any case of its digits', () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(bytes, anyText({ minLength: 1 }), fc.bigInt(0n, 2n ** 64n), (sent, key, cases) => {
        const digits = [...mac(key, Buffer.from(sent)).toString('hex')];
        const mixed = digits.map((digit, at) => ((cases >> BigInt(at)) & 1n ? digit.toUpperCase() : digit)).join('');
        assert.deepEqual(verifySignature(mixed, Buffer.from(sent), key), { valid: true });
        assert.deepEqual(verifySignature([mixed], Buffer.from(sent), key), { valid: true });
      }),
    );
  });

  test('Authentication, 8: a body changed by one character is refused', () => {
    const character = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(fc.json(), fc.nat(), character, (text, place, other) => {
        const letters = [...text];
        const at = place % letters.length;
        fc.pre(letters[at] !== other);
        refusal(sign(text), Buffer.from(letters.with(at, other).join('')));
      }),
    );
  });

  test('Authentication, 8: a body changed by one bit, or a signature changed by one bit, is refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (sent, place) => {
        const original = Buffer.from(sent);
        refusal(sign(original), flipped(original, place));
        refusal(flipped(mac(secret, original), place).toString('hex'), original);
      }),
    );
  });
});

function flipped(bytes: Buffer, place: number): Buffer {
  const at = place % (bytes.length * 8);
  const changed = Buffer.from(bytes);
  changed[at >> 3] = (changed[at >> 3] as number) ^ (1 << (at & 7));
  return changed;
}

describe('Endpoint 10, rule 5: what a refusal tells', () => {
  test('Endpoint 10, rule 5: a refusal tells the length and SHA-256 of the body that arrived', () => {
    for (const header of [undefined, '', ['a', 'b'], 'zz', '00', '0'.repeat(64), `sha256=${sign(body)}`]) {
      const detail = refusal(header);
      assert.match(detail, /a body of 23 bytes/);
      assert(detail.includes(sha(body)));
    }
    assert.match(refusal('0'.repeat(64), Buffer.from('x')), /a body of 1 byte,/);
  });

  test('Endpoint 10, rule 5: a signature in which nothing is recognised gets the facts and how to sign, no guess', () => {
    const expected =
      'The signature in X-Signature does not match this body. Received: a body of 23 bytes, whose SHA-256 is ' +
      'f3fb514e562e024956173e04e4f954360df621a115f57768d56ebde777769495; as signature, 64 hexadecimal digits. To sign,';
    assert.equal(nothingFound(body).slice(0, expected.length), expected);
    assert.doesNotMatch(nothingFound(body), /line end|line feed|base64|sha256=|serialised|printed with|plain|decoded/);
    fc.assert(
      fc.property(fc.json(), (text) => {
        const sent = Buffer.from(text);
        assert.equal(nothingFound(sent), refusal('0'.repeat(64), sent));
      }),
    );
  });

  test('Endpoint 10, rule 5: no part of the right signature is ever confirmed', () => {
    const right = sign(body);
    for (const length of [1, 32, 40, 63]) {
      assert.equal(refusal(right.slice(0, length)), refusal('0'.repeat(length)));
      const partly = right.slice(0, length) + (right[length] === '0' ? '1' : '0') + right.slice(length + 1);
      assert.equal(refusal(partly), nothingFound(body));
    }
    assert.equal(refusal(mac(secret, `${body}\n`).toString('hex').slice(0, 40)), refusal('0'.repeat(40)));
  });
});

const right = sign(body);
const base64 = mac(secret, body).toString('base64');

describe('Endpoint 10, rule 5: how the header is written', () => {
  const written: [rule: string, header: string | string[] | undefined, says: RegExp][] = [
    ['no header', undefined, /^The header X-Signature is missing.*no signature\. To sign/],
    ['no value', [], /^The header X-Signature is missing/],
    ['an empty header', '', /^The header X-Signature is empty/],
    ['a blank header', ' ', /^The header X-Signature is empty/],
    ['two headers', [right, right], /sent more than once.*2 values in X-Signature/],
    ['two headers joined by Node.js', `${right}, ${right}`, /sent more than once.*2 values in X-Signature/],
    ['no hexadecimal', 'let me in!', /is not hexadecimal: .*10 characters, not all of them hexadecimal\. To sign/],
    ['a letter that is no digit', `${right.slice(1)}g`, /is not hexadecimal/],
    ['a digit too few', right.slice(1), /wrong length: .*, not 63\. .*63 hexadecimal digits\. To sign/],
    ['a digit too many', `${right}0`, /wrong length: .*, not 65\./],
    ['one digit', 'a', /wrong length: .*, not 1\. .*1 hexadecimal digit\./],
    ['a prefix', `sha256=${right}`, /begins with "sha256=": leave this prefix out\. Otherwise it is right\./],
    ['a prefix before a wrong one', `SHA256=${'0'.repeat(64)}`, /prefix out\. Received: .*the prefix.*64 hex.*To sign/],
    ['a prefix alone', 'sha256=', /prefix out\. .* the prefix "sha256=" and nothing more/],
    ['a prefix before base64', `sha256=${base64}`, /looks like base64:.*it is right/],
    ['base64', base64, /it looks like base64: .*Otherwise it is right/],
    ['base64 without padding', base64.slice(0, 43), /it looks like base64.*it is right.* 43 characters that/],
    ['base64 of a wrong one', randomBytes(32).toString('base64'), /it looks like base64.*32 bytes\. To sign/],
    ['base64 of the digits', Buffer.from(right).toString('base64'), /encoded in base64 once more: .*it is right/],
    ['colons between the digits', right.replace(/..\B/g, '$&:'), /has separators .*Otherwise it is right/],
    ['the label of openssl', `HMAC-SHA2-256(stdin)= ${right}`, /more than the hex.*it is right.*22 other/],
    ['quotes', `"${right}"`, /more than the hexadecimal digits.*it is right.*2 other characters/],
    ['0x', `0x${right}`, /more than the hexadecimal digits.*it is right/],
  ];
  for (const [rule, header, says] of written) {
    test(`Endpoint 10, rule 5: ${rule} is explained`, () => {
      assert.match(refusal(header), says);
    });
  }
});

test('Endpoint 10, rule 5: base64url is told from base64', () => {
  const sent = Buffer.from('10');
  const signature = mac(secret, sent).toString('base64url');
  assert.match(signature, /[-_]/);
  assert.match(refusal(signature, sent), /it looks like base64url: .*Otherwise it is right/);
});

describe('Endpoint 10, rule 5: another algorithm or key', () => {
  const base64Secret = Buffer.from(secret, 'base64');
  const made: [rule: string, digest: Buffer, says: RegExp][] = [
    ['a plain SHA-256', createHash('sha256').update(body).digest(), /^The signature .* It is the plain SHA-256 of the/],
    ['a plain MD5', createHash('md5').update(body).digest(), /wrong length.* It is the plain MD5 of the body/],
    ['HMAC-MD5', mac(secret, body, 'md5'), /wrong length.* It is the HMAC-MD5 of the body: use HMAC-SHA256/],
    ['HMAC-SHA1', mac(secret, body, 'sha1'), /wrong length.* It is the HMAC-SHA1 of the body/],
    ['HMAC-SHA224', mac(secret, body, 'sha224'), /wrong length.* It is the HMAC-SHA224 of the body/],
    ['HMAC-SHA384', mac(secret, body, 'sha384'), /wrong length.* It is the HMAC-SHA384 of the body/],
    ['HMAC-SHA512', mac(secret, body, 'sha512'), /wrong length.* It is the HMAC-SHA512 of the body/],
    [
      'SHA-256 of secret and body',
      Buffer.from(sha(`${secret}${body}`), 'hex'),
      /SHA-256 of the secret followed by the body/,
    ],
    [
      'SHA-256 of body and secret',
      Buffer.from(sha(`${body}${secret}`), 'hex'),
      /SHA-256 of the secret followed by the body/,
    ],
    ['the key as message', mac(body, secret), /The key and the body are swapped/],
    ['\\n after the key', mac(`${secret}\n`, body), /The key was the secret followed by a line feed/],
    ['\\r\\n after the key', mac(`${secret}\r\n`, body), /secret followed by a carriage return and line feed/],
    ['a space after the key', mac(`${secret} `, body), /secret followed by a space/],
    ['quotes around the key', mac(`"${secret}"`, body), /the secret in quotes \("\)/],
    ['a key decoded from base64', mac(base64Secret, body), /decoded from base64.*take its characters as UTF-8/],
    ['an empty key', mac('', body), /The key was empty.*set the variable/],
    ['an undefined key', mac('undefined', body), /The key was the word undefined/],
    ['a placeholder as key', mac('<HMAC_SECRET>', body), /The key was the text <HMAC_SECRET>/],
  ];
  for (const [rule, digest, says] of made) {
    test(`Endpoint 10, rule 5: ${rule} is explained, in hexadecimal and in base64`, () => {
      const detail = verifySignature(digest.toString('hex'), body, secret);
      assert(!detail.valid);
      assert.match(detail.detail, says);
      assert.doesNotMatch(detail.detail, /To sign/);
      const finding = / (?:It is|The key) [^:]*: [^:]*\. Received/.exec(detail.detail)?.[0] as string;
      assert(refusal(digest.toString('base64')).includes(finding));
    });
  }

  test('Endpoint 10, rule 5: a key decoded from hexadecimal is explained', () => {
    const key = '00ff'.repeat(16);
    const signature = mac(Buffer.from(key, 'hex'), body).toString('hex');
    assert.match(refusal(signature, body, key), /the secret decoded from hexadecimal/);
  });
});

describe('Endpoint 10, rule 5: another body was signed than was sent', () => {
  const compact = '{"regNumber":"AB-1234","tags":["é",1]}';
  const value: unknown = JSON.parse(compact);
  const pretty = (indent: string | number) => JSON.stringify(value, null, indent);
  const spaced = '{"regNumber": "AB-1234", "tags": ["é", 1]}';
  const signed: [rule: string, signed: string | Buffer, sent: string | Buffer, says: RegExp][] = [
    ['\\n added', `${compact}\n`, compact, /the body with a line feed \(\\n\) added.*echo and editors add a line end/],
    ['\\r\\n added', `${compact}\r\n`, compact, /the body with a carriage return and line feed \(\\r\\n\) added/],
    ['\\n removed', compact, `${compact}\n`, /the body without the line end at its end/],
    ['\\r\\n removed', compact, `${compact}\r\n`, /the body without the line end at its end/],
    ['\\n for \\r\\n', pretty(3), pretty(3).replaceAll('\n', '\r\n'), /the body with \\n for each line end/],
    ['\\r\\n for \\n', pretty(3).replaceAll('\n', '\r\n'), pretty(3), /the body with \\r\\n for each line end/],
    ['all line ends removed', pretty(3).replaceAll('\n', ''), pretty(3), /the body without its line ends/],
    ['white space removed', compact, ` ${compact}\n\n`, /the body without the white space around it/],
    ['byte order mark removed', compact, `\uFEFF${compact}`, /the body without the byte order mark/],
    ['byte order mark added', `\uFEFF${compact}`, compact, /the body with a byte order mark/],
    ['UTF-16', Buffer.from(compact, 'utf16le'), compact, /the body encoded in UTF-16/],
    ['Latin-1', Buffer.from(compact, 'latin1'), compact, /the body encoded in Latin-1/],
    ['nothing', '', compact, /an empty body/],
    ['an object as text', '[object Object]', compact, /the text \[object Object\]/],
    ['the hash of the body', sha(compact), compact, /the SHA-256 of the body, in hexadecimal/],
    ['JSON in JSON', JSON.stringify(compact), compact, /made into a JSON string once more/],
    ['compact JSON', compact, pretty(3), /re-serialised as compact JSON, not .*: make the JSON text once/],
    ['compact JSON and \\n', `${compact}\n`, pretty(3), /compact JSON, with a line feed \(\\n\) at its end/],
    ['2 spaces', pretty(2), compact, /pretty-printed with 2 spaces, not/],
    ['2 spaces and \\n', `${pretty(2)}\n`, compact, /with 2 spaces, with a line feed \(\\n\) at its end/],
    ['4 spaces', pretty(4), compact, /pretty-printed with 4 spaces, not/],
    ['tabs', pretty('\t'), compact, /pretty-printed with tabs, not/],
    ['2 spaces and \\r\\n', pretty(2).replaceAll('\n', '\r\n'), compact, /with 2 spaces and \\r\\n for each/],
    ['json.dumps of Python, not ASCII', spaced, compact, /a space after each comma and colon, not/],
    ['json.dumps of Python', spaced.replace('é', '\\u00e9'), compact, /and non-ASCII letters escaped, not/],
    ['str of a Python dict', spaced.replaceAll('"', "'"), compact, /as Python prints a dict/],
  ];
  for (const [rule, meant, sent, says] of signed) {
    test(`Endpoint 10, rule 5: a signature of the body with ${rule} is explained`, () => {
      assert.match(refusal(sign(meant), Buffer.from(sent)), says);
    });
  }

  test('Endpoint 10, rule 5: line ends are told of bodies that are no UTF-8, too', () => {
    const sent = Buffer.from([0xff, 0xfe, 0x00, 0x0a]);
    assert.match(refusal(sign(sent.subarray(0, 3)), sent), /the body without the line end at its end/);
    assert.match(refusal(sign(Buffer.concat([sent, Buffer.from('\n')])), sent), /with a line feed \(\\n\) added/);
    assert.equal(refusal(sign(sent.toString()), sent), nothingFound(sent));
  });
});

describe('Endpoint 10, rule 5: the work for a refusal is bounded', () => {
  const hostile: [name: string, sent: Buffer][] = [
    ['lists 32,768 deep', Buffer.from('['.repeat(32_768) + ']'.repeat(32_768))],
    ['objects 10,000 deep', Buffer.from(`${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}`)],
    ['lists that are never closed', Buffer.from('['.repeat(65_536))],
    ['lists closed before they open', Buffer.from(']'.repeat(32_768) + '['.repeat(32_768))],
    ['a wide list at a depth of 150', Buffer.from(`${'['.repeat(150)}${'1,'.repeat(32_000)}1${']'.repeat(150)}`)],
    ['quotes', Buffer.from('"'.repeat(65_536))],
    ['backslashes', Buffer.from(`"${'\\'.repeat(65_534)}"`)],
    ['carriage returns', Buffer.from('\r'.repeat(65_536))],
    ['spaces before a letter', Buffer.from(`${' '.repeat(65_535)}x`)],
    ['letters beyond ASCII', Buffer.from(`"${'é'.repeat(32_000)}"`)],
    ['random bytes', randomBytes(65_536)],
  ];
  for (const [name, sent] of hostile) {
    // Indented, the nested ones would take gigabytes: far beyond what a refusal may cost.
    test(`Endpoint 10, rule 5: a body of ${name} is refused at once`, async () => {
      const refused = () => assert.equal(nothingFound(sent), refusal('0'.repeat(64), sent));
      assert((await processorTime(refused)) < 2_000);
    });
  }

  test('Endpoint 10, rule 5: brackets inside strings are no nesting', () => {
    const sent = JSON.stringify({ a: '\\"[[[['.repeat(5_000) });
    assert.match(
      refusal(sign(JSON.stringify(JSON.parse(sent), null, 2)), Buffer.from(sent)),
      /pretty-printed with 2 spaces/,
    );
  });

  test('Endpoint 10, rule 5: header values of 16 KiB are refused at once', async () => {
    for (const part of ['=', 'a', 'A-', '+', 'a:', `${'f'.repeat(63)}g`, 'sha256=', ',', '0x', 'é', ' x']) {
      assert((await processorTime(() => refusal(part.repeat(16_384 / part.length)))) < 1_000);
    }
  });

  test('Endpoint 10, rule 5: any bytes and any header are refused without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), anyText({ maxLength: 100 }), (sent, header) => {
        refusal(header.slice(0, 19), Buffer.from(sent));
        assert.equal(verifySignature(header, Buffer.from(sent), secret).valid, false);
      }),
    );
  });
});
