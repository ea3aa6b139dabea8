import { execFile } from 'node:child_process';
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

/** An authority of our own and a server's certificate, by openssl 3. */
export async function makeCertificates(directory: string): Promise<Certificates> {
  const file = (name: string): string => join(directory, name);
  const issue = async (name: string, ...rest: string[]): Promise<void> => {
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'],
      ...['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`), '-subj', `/CN=${name}.lplate.example`, ...rest],
    ]);
  };
  await issue('authority');
  await issue(
    'server',
    ...['-CA', file('authority.pem'), '-CAkey', file('authority.key')],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:FALSE'],
  );
  return { authority: file('authority.pem'), certificate: file('server.pem'), key: file('server.key') };
}
