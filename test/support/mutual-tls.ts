import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificates, makeClientCertificate, makeOwnCertificate } from './certificates.ts';

/* A service that asks for client certificates, and clients that present some. This process trusts the service. */

const directory = mkdtempSync(join(tmpdir(), 'l-plate-mutual-tls-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

const { authority, certificate: tlsCert, key: tlsKey } = await makeCertificates(directory);
const tlsClientCa = await readFile(authority, 'utf8');
setDefaultCACertificates([...getCACertificates(), tlsClientCa]);

/** Files for programs: whom to trust, and what to present. */
export const files = { authority, cert: join(directory, 'mine.pem'), key: join(directory, 'mine.key') };

/** With HTTPS alone. */
export const secure = { tlsCert, tlsKey };

/** It asks for certificates, too. */
export const asking = { ...secure, tlsClientCa };

/** Signed by the authority of the service. */
export const mine = await makeClientCertificate(directory, 'mine');
export const another = await makeClientCertificate(directory, 'another');

/** The same for a program. */
export const askingEnvironment = { TLS_CERT: tlsCert, TLS_KEY: tlsKey, TLS_CLIENT_CA: authority };

/** Signed by its own key. */
export const own = await makeOwnCertificate(directory, 'own');
