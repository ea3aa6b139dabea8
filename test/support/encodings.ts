import { gzipSync } from 'node:zlib';

type Encoding = (text: string) => string;

const percent: Encoding = (text) =>
  [...Buffer.from(text, 'latin1')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const unicode: Encoding = (text) =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

/** How a secret can be written within a text. `…Some` writes only a few of its characters so. */
export const encodings: Readonly<Record<string, Encoding>> = {
  plain: (text) => text,
  glued: (text) => `xY${text}Zw`,
  base64,
  base64url: (text) => Buffer.from(text, 'latin1').toString('base64url'),
  basic: (text) => base64(`demo-0123:${text}`),
  utf16InBase64: (text) => Buffer.from(text, 'utf16le').toString('base64'),
  wrapped: (text) => base64(`x:${text}`).replaceAll(/.{20}/g, '$&\n'),
  gzip: (text) => gzipSync(Buffer.from(text, 'latin1')).toString('base64'),
  hexadecimal: (text) => Buffer.from(text, 'latin1').toString('hex'),
  percent,
  percentSome: (text) => text.replaceAll(/[aeiou5-]/g, percent),
  json: (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  unicode,
  // Not of what is an escape already: that would be another text.
  unicodeSome: (text) => text.replace(/(?<!\\u?[\da-f]{0,3})[A-Za-z]/, unicode),
  references: (text) => [...text].map((each) => `&#${each.charCodeAt(0)};`).join(''),
  referencesInHex: (text) => [...text].map((each) => `&#x${each.charCodeAt(0).toString(16)};`).join(''),
};
