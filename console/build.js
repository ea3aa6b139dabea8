// Bundles the console into `console/dist`, if a source is newer than what is there. Plain JavaScript: `npm start` runs it on
// the machine's own Node.js, before anything else.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const manifest = join(dist, 'manifest.json');

/** When a source was changed last, in milliseconds since 1970. The versions of the libraries count as a source. */
function newestSource() {
  const sources = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith('dist') && /\.(?:tsx?|css|js)$/.test(name));
  const files = [...sources.map((name) => join(folder, name)), join(folder, '../package-lock.json')];
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}

/** Names of files are hashed, so that a browser may keep them for ever. What is served is compressed once, here. */
async function build() {
  const { build: bundle } = await import('esbuild');
  const made = join(folder, `dist.${process.pid}`);
  const { metafile } = await bundle({
    absWorkingDir: folder,
    entryPoints: { console: 'index.tsx', style: 'style/index.css' },
    outdir: made,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    sourcemap: 'linked',
    sourcesContent: true,
    logLevel: 'warning',
  });
  const outputs = Object.entries(metafile.outputs);
  const entry = (source) => basename(outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? '');
  const files = outputs.map(([path]) => basename(path));
  for (const name of files) {
    const bytes = readFileSync(join(made, name));
    writeFileSync(join(made, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const quality = { [constants.BROTLI_PARAM_QUALITY]: name.endsWith('.map') ? 4 : 9 };
    writeFileSync(join(made, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
  }
  const list = { script: entry('index.tsx'), style: entry('style/index.css'), files };
  writeFileSync(join(made, 'manifest.json'), JSON.stringify(list));
  // At once, since another start may look, or build, at the same time.
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(made, dist);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(manifest)) throw error;
  }
}

export async function buildConsole() {
  if (!existsSync(manifest) || statSync(manifest).mtimeMs < newestSource()) await build();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
