// The library of certificates wants it to be there first.
import { day as dayMs } from '../time/units.ts';
import 'reflect-metadata';
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Hosts } from './machine-names.ts';
import { nameConstraints } from './name-constraints.ts';
import type { Pair } from './pair.ts';

/* Makes certificates. Loaded only when one is to be made: that takes time and memory. */

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const idOfNameConstraints = '2.5.29.30';

/** Clocks of other machines may be behind. */
const beginsEarlierMs = dayMs;

/** With the day before. */
const authorityDays = 90;

export interface IssuedAuthority {
  /** Its certificate, in PEM: what is trusted. */
  readonly root: string;
  /** What signs in its place: the root's key is kept nowhere. */
  readonly intermediate: Pair;
}

/**
 * A new authority, which can sign certificates of servers with the names of this machine or local ones, and nothing above
 * them. Java passes over the constraints of what it is told to trust, so the root's key signs the intermediate, whose
 * constraints all go by, and is forgotten.
 */
export async function issueAuthority(name: string, machine: Hosts, now: number): Promise<IssuedAuthority> {
  const [keys, intermediateKeys] = [await newKeys(), await newKeys()];
  const shared = { ...validity(now, now - beginsEarlierMs + authorityDays * dayMs), signingAlgorithm: algorithm };
  const extensions = async (below: number, { publicKey }: webcrypto.CryptoKeyPair) => [
    new BasicConstraintsExtension(true, below, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    new Extension(idOfNameConstraints, true, nameConstraints(machine)),
    await SubjectKeyIdentifierExtension.create(ofLibrary(publicKey)),
  ];
  const root = await X509CertificateGenerator.createSelfSigned({
    ...shared,
    name: [{ CN: [name] }, { O: ['L-Plate'] }],
    keys: ofLibrary(keys),
    extensions: await extensions(1, keys),
  });
  const intermediate = await X509CertificateGenerator.create({
    ...shared,
    subject: [{ CN: [`${name}, intermediate`] }, { O: ['L-Plate'] }],
    issuer: root.subjectName.toJSON(),
    signingKey: ofLibrary(keys.privateKey),
    publicKey: ofLibrary(intermediateKeys.publicKey),
    extensions: [...(await extensions(0, intermediateKeys)), await AuthorityKeyIdentifierExtension.create(root)],
  });
  return { root: pem(root), intermediate: pair(intermediate, intermediateKeys) };
}

/** A certificate of this machine, signed by the intermediate, which is behind it, with a key of its own. */
export async function issueServer(intermediate: Pair, { names, addresses }: Hosts, now: number): Promise<Pair> {
  const keys = await newKeys();
  const above = new X509Certificate(intermediate.cert);
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: ['L-Plate'] }],
    issuer: above.subjectName.toJSON(),
    ...validity(now, above.notAfter.getTime()),
    signingAlgorithm: algorithm,
    signingKey: ofLibrary(createPrivateKey(intermediate.key).toCryptoKey(algorithm, true, ['sign'])),
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
  const { cert, key } = pair(certificate, keys);
  return { cert: `${cert}${intermediate.cert}`, key };
}

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** The library names the types of browsers; those of Node.js know one usage of keys more. */
function ofLibrary(key: webcrypto.CryptoKey | webcrypto.CryptoKeyPair): never {
  return key as never;
}

function validity(now: number, notAfter: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - beginsEarlierMs), notAfter: new Date(notAfter) };
}

function pair(certificate: X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): Pair {
  const key = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: pem(certificate), key: String(key) };
}

const pem = (certificate: X509Certificate) => `${certificate.toString('pem').trim()}\n`;
