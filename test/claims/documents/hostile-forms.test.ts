import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { boundary, claimOfNewClient, files, form, formType, jpegOf, part } from '../../support/documents.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { countStored } from '../../support/stored.ts';

const { jpeg, png, pdf } = files;

/** A form that is wrong, or looks so. `name`: what a document that is taken is called; else the form is refused. */
interface Hostile {
  readonly what: string;
  readonly body: Uint8Array | string;
  readonly type?: string;
  readonly status: 201 | 400 | 413 | 415;
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const type = (value: string) => ({ type: value });
const refused = (what: string, body: Uint8Array | string, more: Partial<Hostile> = {}): Hostile => ({
  status: 400,
  what,
  body,
  ...more,
});
const one = form(part(jpeg));
const text = (form: Uint8Array) => Buffer.from(form).toString('latin1');
const named = (disposition: string, name: string, content = jpeg): Hostile => ({
  what: `a name: ${disposition.slice(0, 80)}`,
  body: form(part(content, `; name="file"; ${disposition}`)),
  status: 201,
  name,
});
const content = (what: string, bytes: Uint8Array | string, filename = 'a.jpg') =>
  refused(what, form(part(bytes, `; name="file"; filename="${filename}"`)));
const headed = (what: string, head: string, more: Partial<Hostile> = {}): Hostile =>
  refused(
    what,
    Buffer.concat([Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), jpeg, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    more,
  );
const disposition = 'Content-Disposition: form-data; name="file"; filename="a.jpg"';
const taken = { status: 201, name: 'a.jpg' } as const;
const manyHeaders = (count: number) => Array.from({ length: count }, (_, at) => `X-${at}: y`).join('\r\n');

/** A PNG whose head says that it has 65,000 by 65,000 pixels. */
const pixels = Buffer.concat([png.subarray(0, 16), Buffer.from('0000fde80000fde80806000000', 'hex')]);

/** A form whose boundary has so many characters. */
const bounded = (length: number) =>
  refused(
    `a boundary of ${length} characters`,
    text(one).replaceAll(boundary, 'b'.repeat(length)),
    type(`multipart/form-data; boundary=${'b'.repeat(length)}`),
  );

const hostile: readonly Hostile[] = [
  // The header of the whole.
  refused('no boundary', one, type('multipart/form-data')),
  refused('an empty boundary', one, type('multipart/form-data; boundary=')),
  refused('an empty boundary in quotes', one, type('multipart/form-data; boundary=""')),
  bounded(71),
  { ...bounded(70), ...taken },
  bounded(8000),
  refused('a boundary that the body does not have', one, type('multipart/form-data; boundary=other')),
  refused('a boundary with a space at its end', one, type(`multipart/form-data; boundary="${boundary} "`)),
  refused('a boundary with characters that none has', one, type('multipart/form-data; boundary="<{}>"')),
  refused('a boundary whose quote is not closed', one, type(`multipart/form-data; boundary="${boundary}`)),
  { what: 'a boundary in quotes', body: one, ...type(`Multipart/Form-Data; Boundary="${boundary}"`), ...taken },
  { what: 'two boundaries', body: one, ...type(`${formType}; boundary=other`), ...taken },
  { what: 'a charset beside the boundary', body: one, ...type(`${formType}; charset=utf-7`), ...taken },
  refused('another multipart', one, { ...type(`multipart/mixed; boundary=${boundary}`), status: 415 }),
  refused('multipart and more', one, { ...type(`multipart/form-data-x; boundary=${boundary}`), status: 415 }),
  refused('JSON', '{}', { ...type('application/json'), status: 415 }),
  refused('the file alone', jpeg, { ...type('image/jpeg'), status: 415 }),
  refused('a compressed form', deflateSync(one), { headers: { 'Content-Encoding': 'deflate' }, status: 415 }),
  // The form as a whole.
  refused('no bytes', ''),
  refused('no part', form()),
  refused('only the beginning of a boundary', '--'),
  refused('no final boundary', part(jpeg)),
  refused('a final boundary that is cut', one.subarray(0, -5)),
  refused('a part that is cut', one.subarray(0, 90)),
  refused('headers of a part that are cut', one.subarray(0, 40)),
  { what: 'no line end behind the last boundary', body: one.subarray(0, -2), ...taken },
  { what: 'text before the first boundary', body: Buffer.concat([Buffer.from('hello\r\n'), one]), ...taken },
  { what: 'text behind the last boundary', body: Buffer.concat([one, Buffer.from('hello')]), ...taken },
  {
    what: 'another form behind the last boundary',
    body: Buffer.concat([one, form(part(png, '; name="file"; filename="b.png"'))]),
    ...taken,
  },
  refused('lines that end in LF alone', text(one).replaceAll('\r\n', '\n')),
  refused('lines that end in CR alone', text(one).replaceAll('\r\n', '\r')),
  refused('boundaries without an end', `--${boundary}\r\n`.repeat(5000)),
  refused('64 KiB of dashes', '-'.repeat(65_536)),
  refused('a form of zeros', Buffer.alloc(65_536)),
  // Parts.
  refused('two files', form(part(jpeg), part(jpeg))),
  refused('2,000 empty parts', form(...Array.from({ length: 2000 }, () => part('')))),
  refused('2,000 fields', form(...Array.from({ length: 2000 }, (_, at) => part('x', `; name="f${at}"`)))),
  refused('a field beside the file', form(part('hello', '; name="note"'), part(jpeg))),
  refused('a field behind the file', form(part(jpeg), part('hello', '; name="note"'))),
  refused('a file of another name', form(part(jpeg, '; name="upload"; filename="a.jpg"'))),
  refused('a file without a name of its part', form(part(jpeg, '; filename="a.jpg"'))),
  refused('__proto__ as the name of a part', form(part(jpeg, '; name="__proto__"; filename="a.jpg"'))),
  refused('constructor as the name of a field', form(part('x', '; name="constructor"'))),
  refused('a file without a filename', form(part(jpeg, '; name="file"'))),
  {
    what: 'a form in a form, of whose outer part nothing but its head is there',
    body: form(part(one, '; name="file"; filename="outer.jpg"', `Content-Type: ${formType}\r\n`)),
    ...taken,
  },
  refused(
    'a nested multipart/mixed',
    form(part('--in\r\n\r\nx\r\n--in--', '; name="file"', 'Content-Type: multipart/mixed; boundary=in\r\n')),
  ),
  refused('an empty file', form(part(''))),
  // Headers of a part.
  headed('no Content-Disposition', 'Content-Type: image/jpeg'),
  headed('an empty Content-Disposition', 'Content-Disposition:'),
  headed(
    'a Content-Disposition that is none of forms',
    'Content-Disposition: attachment; name="file"; filename="a.jpg"',
  ),
  headed('a header without a colon before it', `hello\r\n${disposition}`),
  headed('a header without a colon behind it', `${disposition}\r\nhello`, taken),
  headed('a colon alone', `:\r\n${disposition}`),
  headed('10,000 headers', `${manyHeaders(10_000)}\r\n${disposition}`),
  headed('1,000 headers behind it', `${disposition}\r\n${manyHeaders(1000)}`, taken),
  headed('a header of 10,000 characters', `X-Long: ${'x'.repeat(10_000)}\r\n${disposition}`),
  headed('a header name of 10,000 characters', `${'x'.repeat(10_000)}: y\r\n${disposition}`),
  headed('two Content-Dispositions', `${disposition}\r\n${disposition.replace('a.jpg', 'b.jpg')}`, taken),
  headed('a folded header', 'Content-Disposition: form-data;\r\n name="file";\r\n filename="a.jpg"', taken),
  headed('CR in a name', 'Content-Disposition: form-data; name="file"; filename="a\r.jpg"'),
  headed('a transfer encoding that lies', `${disposition}\r\nContent-Transfer-Encoding: base64`, taken),
  headed('a transfer encoding that is none', `${disposition}\r\nContent-Transfer-Encoding: ${'x'.repeat(500)}`, taken),
  headed('an unknown charset', `${disposition}\r\nContent-Type: text/plain; charset=utf-7`, taken),
  headed('a charset without a value', `${disposition}\r\nContent-Type: text/plain; charset`, { ...taken, status: 201 }),
  headed('a type of another file', `${disposition}\r\nContent-Type: text/html`, taken),
  headed('a type that is none', `${disposition}\r\nContent-Type: ;;;=;"`, taken),
  // Names.
  named('filename="../../../etc/passwd"', 'passwd.jpg'),
  named('filename="..\\..\\windows\\win.ini"', 'win.ini.jpg'),
  named('filename="/"', 'document.jpg'),
  named('filename=".."', 'document.jpg'),
  named('filename=".htaccess"', 'htaccess.jpg'),
  named('filename=""', 'document.jpg'),
  named('filename="   "', 'document.jpg'),
  named('filename=".jpg"', 'document.jpg'),
  named('filename="a\0b.jpg"', 'ab.jpg'),
  named('filename="\u001b[31m\u0007.jpg"', '[31m.jpg'),
  named('filename="photo\u202egpj.exe"', 'photogpj.exe.jpg'),
  named('filename="a\u2028\ufeff\u200bb.JPG"', 'ab.JPG'),
  named(`filename="${'n'.repeat(5000)}.jpeg"`, `${'n'.repeat(100)}.jpeg`),
  named(`filename="${'🚗'.repeat(200)}.jpg"`, `${'🚗'.repeat(100)}.jpg`),
  named('filename="a\\"; x=\\"y.jpg"', 'a"; x="y.jpg'),
  named('filename="%2e%2e%2fa.jpg"', '%2e%2e%2fa.jpg'),
  named("filename*=UTF-8''%e2%82%ac%2F..%2Fa.jpg", 'a.jpg'),
  named("filename*=utf-7''%00.jpg", 'document.jpg'),
  named("filename*=base64''a.jpg", 'YS5qcGc=.jpg'),
  named('filename="<script>alert(1)</script>.pdf"', 'script>.pdf.jpg'),
  named('filename="a.jpg"; filename="b.jpg"', 'a.jpg'),
  named('filename="scan.png"', 'scan.png.pdf', pdf),
  {
    ...named('filename="a.jpg"', 'a.jpg'),
    what: 'a name in Latin-1',
    body: Buffer.from(
      text(form(part(jpeg, '; name="file"; filename="caf\xc3\xa9.jpg"'))).replace('\xc3\x83\xc2\xa9', '\xe9'),
      'latin1',
    ),
    name: 'caf\ufffd.jpg',
  },
  // What is in the file.
  content('a GIF that is called JPEG', 'GIF89a\x01\x00\x01\x00'),
  content('HTML that is called JPEG', '<!DOCTYPE html><script>alert(1)</script>'),
  content('SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'a.svg'),
  content('a program', 'MZ\x90\0\x03'),
  content('a ZIP', 'PK\x03\x04'.padEnd(2000, '\0'), 'a.pdf'),
  content('a ZIP bomb', Buffer.concat([Buffer.from('PK\x03\x04'), deflateSync(Buffer.alloc(20_000_000))]), 'a.pdf'),
  content('a PDF behind 2 KiB', `${' '.repeat(2048)}%PDF-1.7`, 'a.pdf'),
  content('a JPEG behind a byte', Buffer.concat([Buffer.from(' '), jpeg])),
  content('the beginning of a JPEG', jpeg.subarray(0, 2)),
  content('RIFF that is no WebP', 'RIFF\x24\0\0\0WAVEfmt ', 'a.webp'),
  content('one byte', 'x'),
  { what: 'a PNG of 4 billion pixels, which nobody unpacks', body: form(part(pixels)), status: 201, name: 'a.jpg.png' },
  {
    what: 'a JPEG that is HTML, too, which nobody shows',
    body: form(part(Buffer.concat([jpeg, Buffer.from('<script>alert(1)</script>')]))),
    ...taken,
  },
  { what: 'a PDF that is a ZIP, too', body: form(part('%PDF-1.7\nPK\x03\x04')), status: 201, name: 'a.jpg.pdf' },
  {
    what: 'a file with what looks like a boundary in it',
    body: form(part(Buffer.concat([jpeg, Buffer.from(`\r\n--${boundary.slice(0, 4)}\r\n--\r\n`)]))),
    ...taken,
  },
  refused('a file over the limit', form(part(jpegOf(1024 * 1024 + 1))), { status: 413 }),
  refused('a body over the limit', form(part(jpegOf(2 * 1024 * 1024))), { status: 413 }),
  refused('16 KiB around a whole file', form(part('x'.repeat(20_000)), part(jpegOf(1024 * 1024))), { status: 413 }),
];

forEachEngine((engine) => {
  test('Decisions, statements: a form that is hostile is refused or taken as it is meant, and leaves nothing else behind', async (t) => {
    const lplate = await startLPlate(t, engine, { demoClientsPerAddress: 'off' } as object);
    let { token, path } = await claimOfNewClient(lplate);
    let rows = 0;
    for (const { what, body, type: sent = formType, status, name, headers } of hostile) {
      const bytes = new Uint8Array(Buffer.from(body as string, 'latin1'));
      const answer = await lplate.call('POST', path, {
        token,
        body: bytes,
        headers: { 'Content-Type': sent, ...headers },
      });
      assert.equal(answer.status, status, `${what}: ${answer.text}`);
      assert.equal(answer.json.name, name, what);
      if (status !== 201) {
        assert.ok(answer.json.detail.length <= 180, `${what}: ${answer.json.detail}`);
        continue;
      }
      rows += 1;
      const read = await lplate.call('GET', `${path}/${answer.json.id}`, { token });
      assert.equal(read.status, 200, what);
      assert.match(read.headers.get('content-disposition') ?? '', /^attachment; filename="[ -~]+"/, what);
      if (rows % 5 === 0) ({ token, path } = await claimOfNewClient(lplate));
    }
    assert.ok(hostile.length > 100);
    assert.equal(await countStored(lplate, 'claim_documents'), rows);
    assert.equal((await lplate.call('GET', path, { token })).status, 200);
  });
});
