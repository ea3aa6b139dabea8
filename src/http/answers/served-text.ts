import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { remember } from '../../remember.ts';
import { atAddress, type LinkBase, linkBaseOf, originHeaders } from '../requests/absolute-url.ts';
import { type Coding, chosenCoding } from '../requests/content-coding.ts';
import { isKnown } from '../requests/preconditions.ts';

const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const [pack, packBrotli] = [promisify(gzip), promisify(brotliCompress)];

/** On every answer with such a text, besides its tag. */
export const servedHeaders = { Vary: `Accept-Encoding, ${originHeaders}` };

/** What a character of a copy takes: its text, its bytes, and both packed. */
const bytesOfCharacter = 3;

type Own = Readonly<Record<string, string>>;

const nothing: Own = {};

/** A text that many clients ask for again and again: it is compressed once, and sent only to those who do not have it. */
export class ServedText {
  readonly #type: string;
  readonly #text: string;
  readonly #hash: string;
  readonly #bytes: Record<Coding, () => Promise<Buffer>>;

  constructor(type: string, text: string) {
    const bytes = Buffer.from(text);
    this.#type = type;
    this.#text = text;
    this.#hash = createHash('sha256').update(bytes).digest('base64url');
    this.#bytes = {
      br: remember(() => packBrotli(bytes, quality)),
      gzip: remember(() => pack(bytes)),
      identity: async () => bytes,
    };
  }

  /** @param own what comes in the place of what, for this reader */
  async send(request: FastifyRequest, reply: FastifyReply, own: Own = nothing): Promise<FastifyReply> {
    const { publicUrl } = reply.server;
    const place = linkBaseOf(request);
    const here = own === nothing && place.origin === publicUrl && place.prefix === '';
    return (here ? this : await this.#at(place, [request, reply], own)).#send(request, reply);
  }

  #at(place: LinkBase, call: readonly [FastifyRequest, FastifyReply], own: Own): Promise<ServedText> {
    const { copies, publicUrl } = call[1].server;
    const key = [this.#hash, ...Object.values(own)].join(' ');
    const make = () => new ServedText(this.#type, this.#changed(place, publicUrl, own));
    return copies.get(call, place, key, make, (copy) => copy.#text.length * bytesOfCharacter);
  }

  #changed(place: LinkBase, publicUrl: string, own: Own): string {
    const text = Object.entries(own).reduce((all, [from, to]) => all.replaceAll(from, () => to), this.#text);
    return atAddress(text, publicUrl, place);
  }

  async #send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const coding = chosenCoding(request);
    // A strong tag is that of the bytes, which differ from coding to coding (RFC 9110, section 8.8.3).
    const tag = coding === 'identity' ? `"${this.#hash}"` : `"${this.#hash}-${coding}"`;
    const known = isKnown(request, reply, tag);
    reply.headers(servedHeaders);
    if (known) return reply.code(304).send();
    const bytes = await this.#bytes[coding]();
    if (coding !== 'identity') reply.header('Content-Encoding', coding);
    return reply.type(this.#type).send(bytes);
  }
}
