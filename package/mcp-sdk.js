// Bundles what the service takes of the SDK of the Model Context Protocol into one file, which lies among the sources: a clone
// installs nothing of it. `node package/mcp-sdk.js` writes it anew, of what the lock file in `package/mcp-sdk` names.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { notedPackages, notices, packagesOf } from './notices.js';

/** Where it lies. */
export const bundledSdk = new URL('../src/range/tutor/sdk.js', import.meta.url);

/** The packages that it is made of, as its head names them. */
export const packagesOfSdk = () => notedPackages(readFileSync(bundledSdk, 'utf8').split('*/\n', 1)[0]);

/** Its text, of what is installed for this in a folder that is removed again. */
export async function bundleSdk() {
  const folder = mkdtempSync(join(tmpdir(), 'l-plate-mcp-sdk-'));
  try {
    cpSync(new URL('mcp-sdk', import.meta.url), folder, { recursive: true });
    const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      ...{ cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' },
    });
    if (status !== 0) throw new Error('The SDK could not be installed; npm says why above.');
    const { outputFiles, metafile } = await build({
      absWorkingDir: folder,
      stdin: {
        contents: `export { createMcpHandler, isLegacyRequest, ProtocolError, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';`,
        resolveDir: folder,
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
      outfile: 'sdk.js',
    });
    const packages = packagesOf(folder, Object.keys(metafile.inputs));
    return `/*\n${notices(packages, 'This file is made of these packages by package/mcp-sdk.js.')}*/\n${outputFiles[0].text}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(bundledSdk, await bundleSdk());
