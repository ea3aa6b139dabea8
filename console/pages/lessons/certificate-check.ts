/** A program for Node.js that checks `certificate.jws` by the keys of the service at this address. */
export function checkOf(origin: string): string {
  return `import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [head, body, signature] = readFileSync('certificate.jws', 'utf8').trim().split('.');
const { kid } = JSON.parse(Buffer.from(head, 'base64url'));
const { keys } = await (await fetch('${origin}/.well-known/jwks.json')).json();
const key = createPublicKey({ key: keys.find((each) => each.kid === kid), format: 'jwk' });
const signed = Buffer.from(\`\${head}.\${body}\`);
console.log(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')));
console.log(JSON.parse(Buffer.from(body, 'base64url')));`;
}
