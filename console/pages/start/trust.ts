import { authorityFile, type ToolId } from './first-calls.ts';

/*
 * What comes before the first calls where the service has a class authority of its own: its certificate is fetched, once,
 * and the tool is told of it where the calls themselves can't say so.
 */

const javaStore = '-Djavax.net.ssl.trustStore=lplate.p12 -Djavax.net.ssl.trustStorePassword=changeit';

/** After the certificate was fetched. */
const tellTool: Partial<Record<ToolId, string>> = {
  javascript: `export NODE_EXTRA_CA_CERTS="$PWD/${authorityFile}"`,
  java: `keytool -importcert -noprompt -alias lplate -file ${authorityFile} \\
  -keystore lplate.p12 -storetype PKCS12 -storepass changeit
export JAVA_TOOL_OPTIONS="${javaStore}"`,
};

/** Lines for the folder and the terminal in which the first calls are then run. They show the fingerprint to compare. */
export function trustLines(id: ToolId, origin: string): string {
  if (id === 'powershell')
    return `curl.exe -k -s -o ${authorityFile} ${origin}/ca.pem
[Security.Cryptography.X509Certificates.X509Certificate2]::new("$PWD\\${authorityFile}").GetCertHashString("SHA256")
Import-Certificate -FilePath ${authorityFile} -CertStoreLocation Cert:\\CurrentUser\\Root
`;
  const fetched = `curl -k -s -o ${authorityFile} ${origin}/ca.pem
openssl x509 -in ${authorityFile} -noout -fingerprint -sha256
`;
  const then = tellTool[id];
  return then ? `${fetched}${then}\n` : fetched;
}
