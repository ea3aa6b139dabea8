// Bundles the console into `console/dist`, if a source is newer than what is there. Plain JavaScript: `npm start` runs it on
// the machine's own Node.js, before anything else.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const manifest = join(dist, 'manifest.json');

/** Milliseconds for which files of an older build stay: a server that still runs may name them. */
const kept = 24 * 60 * 60 * 1000;

const isMap = (name) => name.endsWith('.map');

/** A file and its compressed forms. Maps, which only developer tools ask for, have none. */
const formsOf = (name) => (isMap(name) ? [name] : [name, `${name}.gz`, `${name}.br`]);

/** A map that has the sources of the console, and of its libraries only their names. */
function withoutLibraries(text) {
  const map = JSON.parse(text);
  const own = (source, at) => (source.includes('node_modules/') ? null : map.sourcesContent[at]);
  return JSON.stringify({ ...map, sourcesContent: map.sources.map(own) });
}

/** What the last build left: the newest of its sources, and those of them that are the service's. */
function lastBuild() {
  const { newest = 0, shared = [] } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {};
  return { newest, shared };
}

/** When a source was changed last, in milliseconds since 1970. The versions of the libraries count as a source. */
function newestSource(shared) {
  const own = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith('dist') && /\.(?:tsx?|css|js)$/.test(name));
  return Math.max(...[...own, ...shared, '../package-lock.json'].map(changedAt));
}

/** One that is no longer there was changed just now. */
function changedAt(name) {
  return statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

const common = {
  absWorkingDir: folder,
  outdir: dist,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  target: ['es2022'],
  minify: true,
  metafile: true,
  write: false,
  sourcemap: 'linked',
  sourcesContent: true,
  logLevel: 'warning',
  // All that it would say of the bundle is said here.
  tsconfigRaw: {},
};

/** What a page names itself, by the name that the server asks for (`src/http/assets.ts`). */
const entries = {
  console: 'index.tsx',
  served: 'served.tsx',
  style: 'style/index.css',
  reference: 'style/reference.css',
};

/** They run while a page is read, so they are no modules: those wait for the page. */
const early = { theme: 'early.ts', documents: 'documents.ts' };

/** The files of the icons that a style names, in its order: that in which they stand in the picture of all. */
const iconsIn = (css) => [...css.matchAll(/--icon: url\("(.+)"\)/g)].map(([, path]) => path);

/**
 * Draws the icons of a style as one picture, one below the other. Of each picture of a mask a browser makes a document of its
 * own, before it shows anything: with nineteen of them that took more time than all other styles.
 */
function oneSprite(drawn) {
  return {
    name: 'one sprite',
    setup({ onLoad, resolve }) {
      onLoad({ filter: /icons\.css$/ }, async ({ path }) => {
        const css = readFileSync(path, 'utf8');
        const paths = iconsIn(css);
        const found = await Promise.all(paths.map((name) => resolve(name, { resolveDir: folder, kind: 'url-token' })));
        drawn.push(...found.map((each) => each.path));
        const icons = found.map((each, at) =>
          readFileSync(each.path, 'utf8').replace('<svg ', `<svg y="${24 * at}" width="24" height="24" `),
        );
        const height = 24 * icons.length;
        const sprite = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 ${height}">${icons.join('')}</svg>`;
        const contents = css
          .replace(/--icon: url\("(.+)"\)/g, (_, name) => `--icon: ${paths.indexOf(name)}`)
          .replace(
            './icons.svg',
            `data:image/svg+xml,${sprite.replaceAll('"', "'").replace(/[%#\n]/g, encodeURIComponent)}`,
          );
        return { contents, loader: 'css' };
      });
    },
  };
}

/** What is shared by all pages, and by what they load later on. */
const start = join(folder, entries.console);

/**
 * Keeps what the first page loads in few files. What is loaded later imports the start, which is there by then: else each
 * set of pages that share a module would get a file of its own, and a phone would fetch twenty of them before it shows anything.
 * The search is left out: pages of the server have it too, without the start.
 */
const fewFiles = {
  name: 'few files',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\.tsx$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import' || path === './search.tsx') return undefined;
      return { path: join(resolveDir, path), pluginData: { isLater: true } };
    });
    onLoad({ filter: /\.tsx$/ }, ({ path, pluginData }) => {
      if (!pluginData?.isLater) return undefined;
      return { contents: `import ${JSON.stringify(start)};${readFileSync(path, 'utf8')}`, loader: 'tsx' };
    });
  },
};

/** Names of files are hashed, so that a browser may keep them for ever. What is served is compressed once, here. */
async function build(newest) {
  const { build: bundle } = await import('esbuild');
  const drawn = [];
  const results = await Promise.all([
    bundle({
      ...common,
      entryPoints: entries,
      splitting: true,
      format: 'esm',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      plugins: [oneSprite(drawn), fewFiles],
    }),
    bundle({ ...common, entryPoints: early, format: 'iife' }),
  ]);
  const outputs = results.flatMap(({ metafile }) => Object.entries(metafile.outputs));
  const built = (source) => basename(outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? '');
  const files = results.flatMap(({ outputFiles }) => outputFiles);
  mkdirSync(dist, { recursive: true });
  // Other builds may be under way, and servers may read: a file is there as a whole or not at all, the list of them last.
  const write = (name, bytes) => {
    const draft = join(dist, `${name}.${process.pid}.new`);
    writeFileSync(draft, bytes);
    renameSync(draft, join(dist, name));
  };
  for (const { path, contents: built, text } of files) {
    const name = basename(path);
    const contents = isMap(name) ? Buffer.from(withoutLibraries(text)) : built;
    if (isThere(name, contents)) continue;
    write(name, contents);
    if (isMap(name)) continue;
    write(`${name}.gz`, gzipSync(contents, { level: 9 }));
    write(`${name}.br`, brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
  }
  const named = Object.fromEntries(
    Object.entries({ ...entries, ...early }).map(([name, source]) => [name, built(source)]),
  );
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  inputs.push(...drawn.map((path) => relative(folder, path).replaceAll(sep, '/')));
  const shared = [...new Set(inputs)].filter((path) => path.startsWith('../src/'));
  const libraries = [...new Set(inputs)].filter((path) => path.startsWith('../node_modules/'));
  const list = {
    newest: Math.max(newest, ...shared.map(changedAt)),
    shared,
    entries: named,
    early: importedBy(named.console, outputs),
    files: files.map(({ path }) => basename(path)),
    // From the root, for the licences of the package.
    libraries: libraries.map((path) => path.slice('../'.length)),
  };
  write('manifest.json', JSON.stringify(list));
  removeOlder(kept);
}

/** Whether an earlier build has made the same file. It then counts as written now. */
function isThere(name, contents) {
  const forms = formsOf(name).map((form) => join(dist, form));
  const now = new Date();
  try {
    if (!readFileSync(forms[0]).equals(contents)) return false;
    for (const form of forms) utimesSync(form, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Removes what is not of the last build, unless it was written within so many milliseconds. */
function removeOlder(age) {
  const { files } = JSON.parse(readFileSync(manifest, 'utf8'));
  const current = new Set(['manifest.json', ...files.flatMap(formsOf)]);
  for (const name of readdirSync(dist)) {
    const written = statSync(join(dist, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (!current.has(name) && written <= Date.now() - age) rmSync(join(dist, name), { force: true });
  }
}

/** What a script imports at once, and what that imports: a browser that knows of them loads all at the same time. */
function importedBy(entry, outputs) {
  const imports = new Map(
    outputs.map(([path, output]) => [
      basename(path),
      output.imports.filter(({ kind }) => kind === 'import-statement').map((each) => basename(each.path)),
    ]),
  );
  const found = new Set([entry]);
  for (const name of found) for (const each of imports.get(name) ?? []) found.add(each);
  found.delete(entry);
  return [...found];
}

/** With `alone`, files of older builds go too. Returns the list of what there is. */
export async function buildConsole({ alone = false } = {}) {
  const last = lastBuild();
  const newest = newestSource(last.shared);
  if (last.newest < newest) await build(newest);
  if (alone) removeOlder(0);
  const { files, libraries } = JSON.parse(readFileSync(manifest, 'utf8'));
  return { files: files.flatMap(formsOf), libraries };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
