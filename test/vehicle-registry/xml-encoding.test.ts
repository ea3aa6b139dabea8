import { test } from 'node:test';
import { accepts, envelope, refuses, request } from './envelopes.ts';

test('Decisions, vehicle registry: UTF-8 and UTF-16 are read, with and without a byte order mark', () => {
  const regNumber = 'ÄÖ-1234 😀';
  const document = (encoding?: string) =>
    `<?xml version="1.0"${encoding ? ` encoding="${encoding}"` : ''}?>${envelope(request(`<RegNumber>${regNumber}</RegNumber>`))}`;
  const encodings = [
    {
      bytes: (text: string) => Buffer.from(text),
      names: ['UTF-8', 'utf8'],
      others: ['UTF-16', 'utf-16le', 'utf-16be'],
    },
    {
      bytes: (text: string) => Buffer.from(text, 'utf16le'),
      names: ['UTF-16', 'utf-16le'],
      others: ['UTF-8', 'utf-16be'],
    },
    {
      bytes: (text: string) => Buffer.from(text, 'utf16le').swap16(),
      names: ['utf-16', 'UTF-16BE'],
      others: ['utf8', 'UTF-16LE'],
    },
  ];
  for (const { bytes, names, others } of encodings) {
    for (const mark of ['', '\uFEFF']) {
      for (const declared of [undefined, ...names]) {
        for (const type of [undefined, 'text/xml', ...names.map((name) => `text/xml; charset=${name}`)]) {
          accepts(bytes(mark + document(declared)), type, regNumber);
        }
      }
      for (const other of others) {
        refuses(bytes(mark + document(other)), /^Line 1, .*the XML declaration says/);
        const type = `text/xml;charset="${other}"`;
        refuses(bytes(mark + document()), /the charset of the Content-Type header says/, 'Client', type);
      }
    }
  }
  accepts(envelope(), 'text/xml; action="x"; Charset = "utf-8"');
  accepts(envelope(), 'text/xml; charset=');
  for (const name of ['us-ascii', 'US-ASCII', 'ascii']) {
    const declared = `<?xml version="1.0" encoding="${name}"?>`;
    accepts(declared + envelope(), `text/xml; charset=${name}`);
    accepts(declared + envelope(), 'text/xml; charset=utf-8');
    refuses(
      declared + envelope(request(`<RegNumber>${regNumber}</RegNumber>`)),
      /in UTF-8, but the XML declaration says/,
    );
    const wide = Buffer.from(declared + envelope(), 'utf16le');
    refuses(wide, /in UTF-16 .*, but the XML declaration says/);
  }
});

test('Decisions, vehicle registry: another encoding is refused clearly', () => {
  for (const label of ['iso-8859-1', 'windows-1252', 'utf-7', 'utf-32', 'x'.repeat(5000)]) {
    refuses(
      `<?xml version="1.0" encoding="${label}"?>${envelope()}`,
      /which the XML declaration names, is not supported/,
    );
    refuses(
      envelope(),
      /which the charset of the Content-Type header names, is not supported/,
      'Client',
      `text/xml; charset=${label}`,
    );
  }
  refuses(Buffer.from(envelope().replace('AB-1234', 'ÄB-1234'), 'latin1'), /bytes that are not valid UTF-8/);
  refuses(Buffer.from(envelope(), 'utf16le').subarray(0, -1), /bytes that are not valid UTF-16/);
  refuses(Buffer.from(envelope().replace('AB-1234', '\uD800'), 'utf16le'), /bytes that are not valid UTF-16/);
  refuses('+ADw-s:Envelope xmlns:s=+ACI-http://schemas.xmlsoap.org/soap/envelope/+ACIAPg-', /not well-formed/);
  const utf32 = Buffer.from([...envelope()].flatMap((character) => [character.charCodeAt(0), 0, 0, 0]));
  refuses(utf32, /UTF-32/);
  refuses(utf32.reverse(), /UTF-32/);
  refuses(Buffer.concat([Buffer.from('fffe0000', 'hex'), utf32]), /UTF-32/);
  refuses(Buffer.from('4c6fa79493', 'hex'), /EBCDIC/);
});
