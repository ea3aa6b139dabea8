import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { excerpt } from '../../text/excerpt.ts';
import { ProblemError } from '../problems/problem.ts';
import { checkUnpacked, hasType, multipart, wrongMediaType } from './bodies.ts';
import { invalid } from './validation.ts';

/*
 * A file in a form (RFC 7578). The whole body is there when it is read, so that one that is cut off leaves nothing behind.
 */

export interface SentFile {
  /** As it was sent: it may be a path, or have any character. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** The name of its part. */
const partName = 'file';

/** Bytes of a body besides those of its file: boundaries and headers. */
export const framing = 16 * 1024;

const limits = {
  // One more than is allowed, so that it is seen.
  files: 2,
  fields: 1,
  parts: 10,
  fieldSize: 1024,
  headerPairs: 50,
  headerSize: 8 * 1024,
};

/** RFC 2046, section 5.1.1. */
const longestBoundary = 70;

/**
 * The one file of a body that came as bytes.
 *
 * @param maxBytes what the file may have
 * @throws {ProblemError} `unsupported-media-type`, `validation-error`, `payload-too-large`
 */
export async function fileOf(request: FastifyRequest, maxBytes: number): Promise<SentFile> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.declaredType ?? '';
  if (body.length === 0 && type === '') throw fault(`The request has no body. ${how}`);
  checkUnpacked(request);
  if (!hasType(multipart, type)) throw wrongMediaType(request, [multipart]);
  const boundary = boundaryOf(type);
  if (boundary === undefined || boundary.length > longestBoundary) {
    const wrong = boundary ? 'has a boundary of more than 70 characters' : 'has no boundary';
    const detail = `${wrong}. Let your HTTP client make this header together with the body: don't set it yourself.`;
    throw invalid([{ header: 'Content-Type', detail }]);
  }
  const { files, fields } = await partsOf(body, `${multipart}; boundary="${boundary}"`);
  const [file] = files;
  if (fields.length > 0 && !file) {
    const detail = `is no file: its part has no filename. ${how}`;
    throw invalid([{ pointer: `/${shown(fields[0])}`, detail }]);
  }
  if (!file) throw fault(`The body has no file. ${how}`);
  if (files.length > 1) throw fault('The body has more than one file. Send each in a request of its own.');
  if (fields.length > 0) {
    const detail = `is not a part of this request. Send the part ${partName} alone.`;
    throw invalid([{ pointer: `/${shown(fields[0])}`, detail }]);
  }
  if (file.part !== partName) {
    const detail = `is not the name of the part: it must be ${partName}. ${how}`;
    throw invalid([{ pointer: `/${shown(file.part)}`, detail }]);
  }
  if (file.bytes.length > maxBytes) {
    const detail = `The file is larger than ${maxBytes} bytes, which is the limit. Send a smaller one.`;
    throw new ProblemError('payload-too-large', detail);
  }
  if (file.bytes.length === 0) throw invalid([{ pointer: `/${partName}`, detail: `is empty. ${how}` }]);
  return { name: file.name, bytes: file.bytes };
}

const how = `Send one part with the name ${partName} and a filename, as curl does with -F file=@photo.jpg.`;

const fault = (detail: string) => invalid([{ pointer: '', detail }]);

const shown = (name = '') => excerpt(name).replaceAll(/[\p{Cc}\p{Cf}/~]/gu, '?');

/** Undefined where there is none, or one with characters that none may have. */
function boundaryOf(type: string): string | undefined {
  const [, quoted, bare] = /;[ \t]*boundary=(?:"([^"\\]*)"|([^\s;"]*))/i.exec(type) ?? [];
  const boundary = quoted ?? bare ?? '';
  return /^[\w'()+,./:=? -]+$/.test(boundary) && !boundary.endsWith(' ') ? boundary : undefined;
}

interface Parts {
  readonly files: { readonly part: string | undefined; readonly name: string; readonly bytes: Buffer }[];
  /** The names of those that are no files. */
  readonly fields: (string | undefined)[];
}

/** @throws {ProblemError} `validation-error` where the body ends before its last boundary, or can't be read */
function partsOf(body: Buffer, type: string): Promise<Parts> {
  const parts: Parts = { files: [], fields: [] };
  return new Promise((resolve, reject) => {
    const broken = () =>
      reject(fault('The body is no proper multipart/form-data, or its end is missing. Let your HTTP client make it.'));
    try {
      const reader = new Busboy({ headers: { 'content-type': type }, limits, preservePath: true });
      reader.on('file', (part: string | undefined, stream, name: string | undefined) => {
        const chunks: Buffer[] = [];
        stream
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => parts.files.push({ part, name: name ?? '', bytes: Buffer.concat(chunks) }))
          .on('error', broken);
      });
      reader.on('field', (part: string | undefined) => parts.fields.push(part));
      reader.on('error', broken).on('finish', () => resolve(parts));
      reader.end(body);
    } catch {
      broken();
    }
  });
}
