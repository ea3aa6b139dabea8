// Bundles what the service takes of the SDK of the Model Context Protocol into one file, which lies among the sources: with
// its dependencies the SDK is 24 MB, and a clone is to install nothing of it. `node package/mcp-sdk.js` writes it anew.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { notices, packagesOf } from './notices.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where it lies, from the root. */
export const bundledSdk = 'src/range/tutor/sdk.js';

/** Bundles in memory. Returns the text, and what went in: files, from the root. */
export async function bundleSdk() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export { createMcpHandler, isLegacyRequest, ProtocolError, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    minify: true,
    // Whole, they stand above.
    legalComments: 'none',
    metafile: true,
    write: false,
    outfile: bundledSdk,
  });
  const inputs = Object.keys(metafile.inputs);
  return {
    text: `/*\n${notices(packagesOf(root, inputs), 'This file is made of these packages by package/mcp-sdk.js.')}*/\n${outputFiles[0].text}`,
    inputs,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text } = await bundleSdk();
  writeFileSync(new URL(`../${bundledSdk}`, import.meta.url), text);
}
