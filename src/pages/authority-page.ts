import type { FastifyInstance } from 'fastify';
import { type Html, html, page, sendPage } from '../http/answers/page.ts';
import type { ClassAuthority } from '../tls/class-authority.ts';

/** What browsers and phones import. */
const mediaType = 'application/x-x509-ca-cert';

/** The class authority's certificate at `/ca.pem`, and at `/ca` how to trust it. */
export function authorityPage(server: FastifyInstance, publicUrl: string, current: () => ClassAuthority): void {
  server.get('/ca', { config: { document: true } }, (_request, reply) =>
    sendPage(reply, page(server, 'Trust the class authority – L-Plate', explanation(publicUrl, current()))),
  );
  server.get('/ca.pem', { config: { document: true } }, (_request, reply) => {
    reply.type(mediaType).header('Content-Disposition', 'attachment; filename="lplate-ca.pem"');
    return reply.send(Buffer.from(current().root));
  });
}

/** Lines for a terminal. Long ones are wrapped, but not within an option, and copied as they are. */
function lines(id: string, text: string): Html {
  const parts = text
    .split(/((?<=\s)-{1,2}\w[\w-]*)/)
    .map((part, at) => (at % 2 === 1 ? html`<span class="nowrap">${part}</span>` : html`${part}`));
  return html`<pre id="${id}" class="wrapped" tabindex="0">${parts}</pre>`;
}

function explanation(publicUrl: string, { fingerprint, endsAt }: ClassAuthority): Html {
  const call = `${publicUrl}/insurer/v1/coverage-options`;
  return html`<h1>Trust the class authority</h1>
<p>This L-Plate speaks HTTPS with a certificate of its own authority, which no machine knows yet. Fetch the certificate of the authority once, compare its fingerprint, and tell your tools to trust it. Don’t switch verification off: then your program would send its secrets to anybody who answers in the place of this service.</p>
<h2>1. Fetch it and compare</h2>
<p>The first call can’t be verified, so <code>-k</code> lets curl go on without it. That is safe only because you compare the fingerprint afterwards.</p>
${lines('fetch', `curl -k -o lplate-ca.pem ${publicUrl}/ca.pem\nopenssl x509 -in lplate-ca.pem -noout -fingerprint -sha256`)}
<p>In PowerShell, with <code>curl.exe</code> in the place of <code>curl</code>, the fingerprint is shown without colons by</p>
${lines('fingerprint-windows', '[Security.Cryptography.X509Certificates.X509Certificate2]::new("$PWD\\lplate-ca.pem").GetCertHashString("SHA256")')}
<p>It must be the one that the service printed when it started. Ask your trainer; this page itself came over the connection that is not verified yet. It says:</p>
${lines('expected', fingerprint)}
<h2>2. Trust it</h2>
<h3>curl</h3>
${lines('curl', `curl --cacert lplate-ca.pem ${call}`)}
<p>Or for all calls of a terminal: <code>export CURL_CA_BUNDLE=$PWD/lplate-ca.pem</code>. On Windows add <code>--ssl-no-revoke</code>: this authority has no list of certificates that it took back.</p>
<h3>Java</h3>
${lines(
  'java',
  `keytool -importcert -noprompt -alias lplate -file lplate-ca.pem -keystore lplate.p12 -storetype PKCS12 -storepass changeit
java -Djavax.net.ssl.trustStore=lplate.p12 -Djavax.net.ssl.trustStorePassword=changeit Client.java`,
)}
<p>With these two properties the program trusts this authority and no other.</p>
<h3>.NET</h3>
<p>.NET goes by the operating system: on Windows and macOS, see below. On Linux:</p>
${lines('dotnet', 'SSL_CERT_FILE=$PWD/lplate-ca.pem dotnet run')}
<h3>Python</h3>
${lines('python', 'REQUESTS_CA_BUNDLE=$PWD/lplate-ca.pem SSL_CERT_FILE=$PWD/lplate-ca.pem python3 client.py')}
<p><code>requests</code> reads the first variable, <code>urllib</code> and <code>httpx</code> the second. In code: <code>requests.get(url, verify="lplate-ca.pem")</code>.</p>
<h3>Node.js</h3>
${lines('node', 'NODE_EXTRA_CA_CERTS=$PWD/lplate-ca.pem node client.js')}
<h3>Browsers</h3>
<p>Edge and Chrome go by the operating system. Restart the browser afterwards.</p>
<p>Windows, in PowerShell, for your user only:</p>
${lines('windows', 'Import-Certificate -FilePath lplate-ca.pem -CertStoreLocation Cert:\\CurrentUser\\Root')}
<p>macOS:</p>
${lines('macos', 'security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db lplate-ca.pem')}
<p>Chrome on Linux (<code>certutil</code> is in the package libnss3-tools):</p>
${lines('linux', 'certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n lplate -i lplate-ca.pem')}
<p>Firefox: Settings, Privacy &amp; Security, View Certificates, Authorities, Import. Choose the file, and tick “Trust this CA to identify websites”.</p>
<h2>3. After the class, remove it</h2>
<p>This authority can sign for the names and addresses of this machine, for <code>localhost</code>, names that end in <code>.local</code>, and addresses of private networks. To those who trust it, whoever has its key, which is only in the data directory of this service, can pretend to be one of these, and no other website. Delete the file, and take the certificate out of the stores that you put it into.</p>
<p>It ends on ${new Date(endsAt).toISOString().slice(0, 10)}. A month before, the service makes another one. If your tools say then that the certificate is signed by an unknown authority, or a new one was announced to you, begin here again: fetch it, compare, trust it, and remove the old one.</p>`;
}
