import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Files in PEM. */
export interface Certificates {
  /** The authority, for clients that verify. */
  readonly authority: string;
  /** For `localhost` and `127.0.0.1`, signed by it. */
  readonly certificate: string;
  readonly key: string;
}

/** Makes a key, and a certificate in a file beside it, by openssl 3. */
async function issue(directory: string, name: string, ...rest: string[]): Promise<void> {
  const file = join(directory, name);
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'],
    ...['-keyout', `${file}.key`, '-out', `${file}.pem`, '-subj', `/CN=${name}.lplate.example`, ...rest],
  ]);
}

/** Signed by the authority of a directory. */
function issueBelow(directory: string, name: string, extension: string): Promise<void> {
  const ca = ['-CA', join(directory, 'authority.pem'), '-CAkey', join(directory, 'authority.key')];
  return issue(directory, name, ...ca, '-addext', extension, '-addext', 'basicConstraints=critical,CA:FALSE');
}

/** An authority of our own and a server's certificate. */
export async function makeCertificates(directory: string): Promise<Certificates> {
  const file = (name: string): string => join(directory, name);
  await issue(directory, 'authority');
  await issueBelow(directory, 'server', 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  return { authority: file('authority.pem'), certificate: file('server.pem'), key: file('server.key') };
}

/** What a client presents, in PEM. */
export interface Presented {
  readonly cert: string;
  readonly key: string;
}

/** For a client, by an authority that is in the directory. */
export async function makeClientCertificate(directory: string, name: string): Promise<Presented> {
  await issueBelow(directory, name, 'extendedKeyUsage=clientAuth');
  return readPair(directory, name);
}

/** By no authority. */
export async function makeOwnCertificate(directory: string, name: string): Promise<Presented> {
  await issue(directory, name, '-addext', 'extendedKeyUsage=clientAuth');
  return readPair(directory, name);
}

async function readPair(directory: string, name: string): Promise<Presented> {
  const [cert, key] = await Promise.all(
    ['pem', 'key'].map((end) => readFile(join(directory, `${name}.${end}`), 'utf8')),
  );
  return { cert: cert as string, key: key as string };
}
