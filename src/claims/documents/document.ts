/*
 * A document of a claim: a photograph or a PDF. Its type is told by its first bytes, whatever its name and the sender say.
 */
import Type, { type Static } from 'typebox';
import { DomainError } from '../../domain-error.ts';
import { PageOf } from '../../http/requests/paging.ts';
import { enumeration } from '../../text/enumeration.ts';
import { claimIdPattern } from '../claim.ts';

/** Bytes of one document. */
export const maxBytes = 1024 * 1024;

/** Documents of one claim. */
export const maxPerClaim = 5;

/** Bytes of all documents of one client. */
export const maxBytesOfClient = 20 * maxBytes;

const mediaTypes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export type MediaType = (typeof mediaTypes)[number];

/** The endings that names of each type have; the first is given to those that have none of them. */
const endings: Readonly<Record<MediaType, readonly string[]>> = {
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/png': ['.png'],
  'image/webp': ['.webp'],
  'application/pdf': ['.pdf'],
};

/** Characters of a name without its ending. */
const longestName = 100;

const mediaType = enumeration('DocumentMediaType', mediaTypes, 'The types that a document can have.');

export const exampleId = 'doc-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';

export const ClaimDocument = Type.Object(
  {
    id: Type.String({
      pattern: '^doc-',
      description: 'Identifies the document; begins with doc-.',
      examples: [exampleId],
    }),
    claimId: Type.String({
      pattern: claimIdPattern,
      description: 'The claim that it belongs to.',
      examples: ['CLM-2026-000042'],
    }),
    name: Type.String({
      description:
        'The name of the file, without folders and characters that are not seen. It ends as its type does, such as .jpg.',
      examples: ['scratch.jpg'],
    }),
    mediaType: mediaType('What its first bytes say that it is.', 'image/jpeg'),
    size: Type.Integer({ minimum: 1, maximum: maxBytes, description: 'Its bytes.', examples: [48213] }),
    digest: Type.String({
      description: 'The SHA-256 of its bytes, as Content-Digest has it (RFC 9530).',
      examples: ['sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
    }),
    createdAt: Type.String({
      format: 'date-time',
      description: 'When it was sent.',
      examples: ['2026-03-02T10:16:00.000Z'],
    }),
  },
  { $id: 'ClaimDocument', description: 'A document of a claim. Its bytes are at its own address.' },
);

export const ClaimDocumentList = PageOf(ClaimDocument, 'ClaimDocumentList');

export type ClaimDocument = Static<typeof ClaimDocument>;

/** Tells whether an id has the form of ours. */
export function isDocumentId(id: string): boolean {
  return /^doc-[0-9a-f-]{36}$/.test(id);
}

/** @throws {DomainError} `validation-error` for bytes of any other type */
export function mediaTypeOf(bytes: Buffer): MediaType {
  const [first, third] = [bytes.toString('latin1', 0, 8), bytes.toString('latin1', 8, 12)];
  if (first.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (first === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (first.startsWith('RIFF') && third === 'WEBP') return 'image/webp';
  if (first.startsWith('%PDF-')) return 'application/pdf';
  const detail =
    'does not begin as a JPEG, PNG or WebP image or a PDF does. The bytes tell the type, not the name. Send one of these.';
  throw new DomainError('validation-error', detail, 'file');
}

/** A name that any system can take: no folder, nothing that is not seen, and the ending of its type. */
export function fileName(sent: string, type: MediaType): string {
  const [own = ''] = endings[type];
  const last = sent.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const seen = last.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, '').trim();
  const isNamed = endings[type].some((ending) => seen.toLowerCase().endsWith(ending));
  const at = isNamed ? seen.lastIndexOf('.') : seen.length;
  const stem = [...seen.slice(0, at)].slice(0, longestName).join('').replace(/^\.+/, '').trim();
  return `${stem || 'document'}${isNamed ? seen.slice(at) : own}`;
}

/** The header for a file that is saved and not shown, whatever its name (RFC 6266, RFC 8187). */
export function attachment(name: string): string {
  const ascii = name.replaceAll(/[^ -~]|["%\\]/gu, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
