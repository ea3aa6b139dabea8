import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { excerpt } from '../../text/excerpt.ts';

/** What the service saw of the certificate that a client presented. */
export interface ClientCertificate {
  readonly status: 'accepted' | 'refused' | 'missing';
  readonly subject?: string;
  readonly fingerprint?: string;
  /** In a sentence. */
  readonly reason?: string;
}

const missing: ClientCertificate = {
  status: 'missing',
  reason: 'The client presented none. With curl, add --cert client.pem --key client-key.pem.',
};

/** By the code of OpenSSL. */
const reasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'It is signed by its own key, not by an authority that this service knows.',
  SELF_SIGNED_CERT_IN_CHAIN: 'It is signed by an authority that this service does not know.',
  UNABLE_TO_GET_ISSUER_CERT: 'It is signed by an authority that this service does not know.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'It is signed by an authority that this service does not know.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'It is signed by an authority that this service does not know.',
  CERT_SIGNATURE_FAILURE: 'Its signature is not the one of its authority.',
  CERT_HAS_EXPIRED: 'It has expired.',
  CERT_NOT_YET_VALID: 'It is not valid yet.',
  INVALID_PURPOSE: 'It is not for clients: its extended key usage has no clientAuth.',
};

/**
 * What a token is bound to that is asked for by this request, and what one must be bound to that comes with it: the
 * `x5t#S256` of the certificate (RFC 8705, section 3.1). Undefined unless an accepted one was presented.
 */
export function certificateThumbprint({ socket }: FastifyRequest): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && createHash('sha256').update(certificate.raw).digest('base64url');
}

export function clientCertificate({ socket }: FastifyRequest): ClientCertificate {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (!(socket instanceof TLSSocket) || !certificate) return missing;
  const subject = excerpt((certificate.subject ?? '').replaceAll('\n', ', '), 200);
  const seen = { subject, fingerprint: certificate.fingerprint256 };
  if (socket.authorized) return { status: 'accepted', ...seen };
  const code = String(socket.authorizationError);
  return { status: 'refused', ...seen, reason: reasons[code] ?? `It can’t be verified: ${code}.` };
}
