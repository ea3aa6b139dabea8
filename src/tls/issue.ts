// The library of certificates wants it to be there first.
import 'reflect-metadata';
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { MachineNames } from './machine-names.ts';
import type { Pair } from './pair.ts';

/* Makes certificates. Loaded only when one is to be made: that takes time and memory. */

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const dayMs = 24 * 60 * 60 * 1000;

/** Clocks of other machines may be behind. */
const beginsEarlierMs = dayMs;

const authorityDays = 3650;

/** With the day before: what browsers take at most (398 days), less one. */
const serverDays = 396;

/** A new authority, which can sign certificates of servers and nothing above them. */
export async function issueAuthority(name: string, now: number): Promise<Pair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }, { O: ['L-Plate'] }],
    ...validity(now, now + authorityDays * dayMs),
    signingAlgorithm: algorithm,
    keys: ofLibrary(keys),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(ofLibrary(keys.publicKey)),
    ],
  });
  return pair(certificate, keys);
}

/** A certificate of this machine, signed by the authority, with a key of its own. */
export async function issueServer(authority: Pair, { names, addresses }: MachineNames, now: number): Promise<Pair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const above = new X509Certificate(authority.cert);
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: ['L-Plate'] }],
    issuer: above.subjectName.toJSON(),
    ...validity(now, Math.min(now + serverDays * dayMs, above.notAfter.getTime())),
    signingAlgorithm: algorithm,
    signingKey: ofLibrary(createPrivateKey(authority.key).toCryptoKey(algorithm, true, ['sign'])),
    publicKey: ofLibrary(keys.publicKey),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
      await SubjectKeyIdentifierExtension.create(ofLibrary(keys.publicKey)),
      await AuthorityKeyIdentifierExtension.create(above),
    ],
  });
  return pair(certificate, keys);
}

/** The library names the types of browsers; those of Node.js know one usage of keys more. */
function ofLibrary(key: webcrypto.CryptoKey | webcrypto.CryptoKeyPair): never {
  return key as never;
}

function validity(now: number, notAfter: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - beginsEarlierMs), notAfter: new Date(notAfter) };
}

function pair(certificate: X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): Pair {
  const key = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: `${certificate.toString('pem').trim()}\n`, key: String(key) };
}
