import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { oddCharacter } from '../../text/odd-character.ts';
import { invalid } from './validation.ts';

/*
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The draft makes it a string of structured
 * fields (RFC 8941), which has double quotes; many clients send it bare. Both are taken, and are the same key.
 */

/** The problems of each endpoint that creates what a client may have so many of, and that is safe to repeat by a key. */
export const creationProblems = ['request-in-progress', 'idempotency-key-reused', 'quota-exceeded'] as const;

const longest = 255;

// Printable ASCII. Bare there is no space, quote or comma: two headers of one name come joined by a comma.
const bare = /^[!#-+\--~]{1,255}$/;
const quotedString = /^"((?:[ !#-[\]-~]|\\["\\])+)"$/;

/** The header, for the description. */
export const IdempotencyKey = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      pattern: '^([!#-+\\--~]{1,255}|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$',
      description:
        'A value that you make for this request, such as a UUID, and send again when you repeat it: 1 to 255 printable ASCII characters, with or without double quotes around them. Within 24 hours the same request with the same key returns the first success again.',
    }),
  ),
});

/**
 * The key of a request, without quotes; undefined when it has none.
 *
 * @throws {ProblemError} `validation-error`
 */
export function keyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'] as string | undefined;
  if (header === undefined) return undefined;
  const inQuotes = quotedString.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = inQuotes ?? (bare.test(header) ? header : undefined);
  if (key !== undefined && key.length <= longest) return key;
  throw invalid([{ header: 'Idempotency-Key', detail: faultOf(header) }]);
}

function faultOf(header: string): string {
  return `${reasonOf(header)} Send one key of 1 to ${longest} printable ASCII characters, such as Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".`;
}

function reasonOf(header: string): string {
  if (/^(?:""|\s*)$/.test(header)) return 'is empty.';
  if (header.length > longest) return `is too long: it has ${header.length} characters.`;
  // Node.js gives the bytes of a header as characters.
  const odd = oddCharacter(Buffer.from(header, 'latin1').toString(), (character) => /[ -~]/.test(character));
  if (odd !== undefined) return `has a character that is not printable ASCII. ${odd}`;
  if (/["']$/.test(header) || header.startsWith('"')) return 'is not one string in double quotes.';
  return 'has a space, quote or comma, which only a key in double quotes can have.';
}

/** How a key is kept: a caller may have sent a secret as one. */
export const keptForm = (key: string) => createHash('sha256').update(key).digest('base64url');

/**
 * Tells whether two bodies ask for the same: by the members that the endpoint knows, so that spaces, the order of the
 * members and what is ignored make no difference. They are of plain values once the body was validated.
 */
export function fingerprintOf(body: object, members: readonly string[]): string {
  const values = members.map((name) => (body as Record<string, unknown>)[name] ?? null);
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}
