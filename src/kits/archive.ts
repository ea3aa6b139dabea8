import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Zippable, zipSync } from 'fflate';
import { atAddress, type LinkBase, linkBaseOf, originHeaders } from '../http/requests/absolute-url.ts';
import { isKnown } from '../http/requests/preconditions.ts';

/** Texts by their paths in a folder. */
export type Files = Readonly<Record<string, string>>;

interface Packed {
  readonly bytes: Buffer;
  readonly tag: string;
}

/** Without an offset, so that the same bytes come of it everywhere. */
const mtime = '2026-01-01T00:00:00';

/** A folder of texts, sent as a zip whose addresses lead to where it was asked for. */
export class Archive {
  readonly #name: string;
  readonly #files: Files;

  constructor(name: string, files: Files) {
    this.#name = name;
    this.#files = files;
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const place = linkBaseOf(request);
    const { copies, publicUrl } = reply.server;
    const make = () => this.#pack(publicUrl, place);
    const size = ({ bytes }: Packed) => bytes.length;
    const { bytes, tag } = await copies.get([request, reply], place, this.#name, make, size);
    const known = isKnown(request, reply, tag);
    reply.header('Vary', originHeaders);
    if (known) return reply.code(304).send();
    return reply.type('application/zip').send(bytes);
  }

  #pack(publicUrl: string, place: LinkBase): Packed {
    const files: Zippable = {};
    for (const [path, text] of Object.entries(this.#files))
      files[`${this.#name}/${path}`] = Buffer.from(atAddress(text, publicUrl, place));
    // Not compressed: that took ten times as long to make a few kilobytes less, and whoever asks by many names waits for it.
    const bytes = Buffer.from(zipSync(files, { mtime, level: 0 }));
    return { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  }
}
