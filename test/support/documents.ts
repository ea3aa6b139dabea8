import type { Answer, LPlate } from './lplate.ts';
import { claimOn, insure } from './topic.ts';

/** The beginnings by which types are told, with some bytes behind them. */
export const files = {
  jpeg: Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb', 'hex'),
  png: Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex'),
  webp: Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'),
};

/** A JPEG of so many bytes. */
export const jpegOf = (bytes: number) => Buffer.concat([files.jpeg, Buffer.alloc(bytes - files.jpeg.length, 'x')]);

export const boundary = 'xYzZy';

/** One part of a form. `disposition`: what follows `form-data`. */
export function part(content: string | Uint8Array, disposition = '; name="file"; filename="a.jpg"', more = ''): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data${disposition}\r\n${more}\r\n`;
  return Buffer.concat([Buffer.from(head, 'utf8'), Buffer.from(content as string), Buffer.from('\r\n')]);
}

/** A form with these parts. */
export const form = (...parts: Uint8Array[]) => Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);

export const formType = `multipart/form-data; boundary=${boundary}`;

/** A claim of a new client. */
export async function claimOfNewClient(lplate: LPlate) {
  const client = await lplate.client();
  const claimId = await claimOn(lplate, client.token, await insure(lplate, client.token));
  return { client, token: client.token, path: `/claims/v1/claims/${claimId}/documents` };
}

/** Sends a form with one file. */
export function upload(
  lplate: LPlate,
  { token, path }: { token: string; path: string },
  content: Uint8Array = files.jpeg,
  name = 'a.jpg',
  headers: Record<string, string> = {},
): Promise<Answer> {
  return lplate.call('POST', path, {
    token,
    body: new Uint8Array(form(part(content, `; name="file"; filename="${name}"`))),
    headers: { 'Content-Type': formType, ...headers },
  });
}
