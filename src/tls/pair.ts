import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { savedText } from '../text/encoding.ts';

/** A certificate, perhaps with those above it, and its private key, in PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Where they are. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** @throws {Error} what can't be read */
export function readPair({ certFile, keyFile }: PairFiles): Pair {
  const pem = (file: string) => savedText(readFileSync(file)) ?? '';
  return { cert: pem(certFile), key: pem(keyFile) };
}

/**
 * The certificate of a pair that a server can use.
 *
 * @throws {Error} what is wrong with it, on one line, with nothing of the key
 */
export function checkPair({ cert, key }: Pair, { certFile, keyFile }: PairFiles): X509Certificate {
  const certificate = attempt(() => new X509Certificate(cert), `${certFile} has no valid certificate in PEM`);
  if (key.includes('ENCRYPTED')) throw new Error(`the key in ${keyFile} is encrypted: use one without a passphrase`);
  const privateKey = attempt(() => createPrivateKey(key), `${keyFile} has no valid private key in PEM`);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`the key in ${keyFile} does not belong to the certificate in ${certFile}`);
  }
  attempt(() => createSecureContext({ cert, key }), `the certificate in ${certFile} can't be used for TLS`);
  return certificate;
}

/** Why nobody who verifies the certificate takes it at this time; undefined if that is no reason. */
export function dateFault({ validFromDate, validToDate }: X509Certificate, now: number): string | undefined {
  if (validToDate.getTime() < now) return `ended on ${validToDate.toISOString().slice(0, 10)}`;
  if (validFromDate.getTime() > now) return `begins on ${validFromDate.toISOString().slice(0, 10)}`;
  return undefined;
}

function attempt<T>(work: () => T, fault: string): T {
  try {
    return work();
  } catch {
    throw new Error(fault);
  }
}
