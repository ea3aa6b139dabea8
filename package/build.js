// What `npm run package` does: makes `dist/package`, which is published, of the sources. A clone runs without it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import Fastify from 'fastify';
import { buildConsole } from '../console/build.js';
import { guides } from '../src/navigation.ts';
import { packagesOfSdk } from './mcp-sdk.js';
import { needed } from './node-version.js';
import { billOfMaterials, distinct, notices, packagesOf } from './notices.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const made = join(root, 'dist/package');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Maps nothing. */
const emptyMap = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');

/** What libraries bring as maps of their own names files that nobody has. The SDK of MCP is one line: a map would be as long as it. */
const withoutTheirMaps = {
  name: 'without their maps',
  setup({ onLoad }) {
    onLoad({ filter: /range\/tutor\/sdk\.js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}//# sourceMappingURL=data:application/json;base64,${emptyMap}\n`,
    }));
    onLoad({ filter: /node_modules\/.*\.[cm]?js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/^\/\/# sourceMappingURL=.*$/gm, ''),
    }));
  },
};

rmSync(made, { recursive: true, force: true });
const inputs = [
  ...(await buildProgram()),
  ...(await buildLibrary()),
  ...(await copyConsole()),
  ...(await copyScalar()),
];
declareTypes();
copyFiles();
const packages = distinct([...packagesOf(root, inputs), ...packagesOfSdk()]);
write(
  'THIRD-PARTY-NOTICES',
  notices(
    packages,
    'L-Plate contains these packages, as they are or bundled. The script of Scalar (lib/scalar.js) has the notices of what it contains in its own text.',
  ),
);
write('sbom.cdx.json', `${JSON.stringify(billOfMaterials(manifest, packages), undefined, 2)}\n`);
write('package.json', `${JSON.stringify(manifestOfPackage(), undefined, 2)}\n`);

function write(name, text) {
  const path = join(made, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Bundles in memory. Returns what went in: files, from the root. */
async function bundle(options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    sourcemap: 'linked',
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    write: false,
    // The compiled binding to PostgreSQL's library, which `pg` works without.
    external: ['pg-native'],
    alias: {
      '@scalar/fastify-api-reference': './package/scalar.js',
      // The same, with its compiled part in its text.
      '@platformatic/wasm-utils': '@platformatic/wasm-utils/bundled',
    },
    plugins: [withoutTheirMaps],
    logLevel: 'warning',
    ...options,
  });
  for (const { path, text } of outputFiles) {
    // A map names the sources as if they lay in the package: `src/…`, `node_modules/…`.
    write(relative(made, path), path.endsWith('.map') ? text.replaceAll('"../../../', '"../') : text);
  }
  refuseNamesOfCommonJs(metafile.inputs);
  return Object.keys(metafile.inputs);
}

/** Of CommonJS that is loaded when it is needed, a bundle knows no names: sources take its `default`, as this checks. */
function refuseNamesOfCommonJs(inputs) {
  for (const [file, { imports }] of Object.entries(inputs)) {
    if (file.includes('node_modules/')) continue;
    const loaded = imports.filter(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'cjs');
    for (const { original } of loaded) {
      const text = readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ');
      const all = text.split(`import('${original}')`).length - 1;
      const byDefault = text.split(`(await import('${original}')).default`).length - 1;
      const taken = [...text.matchAll(/\{ default: [^=;]*\} = await import\('([^']+)'\)/g)];
      if (all !== byDefault + taken.filter(([, name]) => name === original).length)
        throw new Error(`${file} takes names of ${original}, which is CommonJS: take its default`);
    }
  }
}

/** All in one folder, two below that of the package as the sources are below the root: they find the other files from there. */
function buildProgram() {
  const migrations = readdirSync(join(root, 'src/database/migrations')).map((name) => [
    `migrations/${name.replace(/\.ts$/, '')}`,
    `src/database/migrations/${name}`,
  ]);
  const entryPoints = {
    main: 'src/main.ts',
    child: 'src/child.ts',
    gaps: 'package/gaps.js',
    ...Object.fromEntries(migrations),
  };
  return bundle({
    entryPoints,
    outdir: join(made, 'lib/program'),
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    target: `node${needed}`,
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    // For what is CommonJS itself.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
  });
}

/** As CommonJS: some test runners load packages in no other form, and all of them load this one. */
function buildLibrary() {
  return bundle({
    entryPoints: ['src/library.ts'],
    outfile: join(made, 'lib/library.cjs'),
    format: 'cjs',
    // An older one is to read it, and to be told that it is too old.
    target: 'node20',
    // Node.js shows the line that threw, and nobody asks it for source maps in a test. Some runners warn of those they can't follow.
    minifyWhitespace: false,
    minifySyntax: false,
    sourcemap: false,
    define: { 'import.meta.url': 'here' },
    banner: { js: `const here = require('node:url').pathToFileURL(__filename).href;` },
  });
}

/** What the library offers, declared: its own file, and those that this names. */
function declareTypes() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const types = join(root, 'dist/types');
  rmSync(types, { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [tsc, '--project', 'tsconfig.library.json'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
  const wanted = new Set(['library.ts']);
  for (const name of wanted) {
    const text = readFileSync(join(types, name.replace(/\.ts$/, '.d.ts')), 'utf8');
    for (const [, path] of text.matchAll(/from '(\.[^']+)'/g)) wanted.add(join(dirname(name), path));
    write(`lib/${name.replace(/\.ts$/, '.d.cts')}`, text.replaceAll(/(from '\.[^']+)\.ts'/g, "$1.cjs'"));
  }
  rmSync(types, { recursive: true });
}

async function copyConsole() {
  const { libraries, files } = await buildConsole({ alone: true });
  for (const name of ['manifest.json', ...files]) {
    const from = join(root, 'console/dist', name);
    cpSync(from, join(made, 'console/dist', name));
  }
  return libraries;
}

/** The one script of Scalar's plugin, which carries it inside its own source. */
async function copyScalar() {
  const carrier = Fastify();
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  await carrier.register(scalar, { configuration: { url: '/' } });
  const { rawPayload } = await carrier.inject('/reference/js/scalar.js');
  write('lib/scalar.js', rawPayload);
  return ['node_modules/@scalar/fastify-api-reference/index.js'];
}

function copyFiles() {
  const copy = (from, to = from) => cpSync(join(root, from), join(made, to), { recursive: true });
  for (const name of ['lplate.js', 'program.js', 'node-version.js']) copy(`package/${name}`, `bin/${name}`);
  for (const name of ['child.js', 'keep-compiled.js']) copy(`bin/${name}`);
  for (const name of ['LICENSE', 'CHANGELOG.md', 'contracts', 'kits']) copy(name);
  // That for a class, which a guide names, and those whose parts are the code of lessons.
  const code = ['examples/path', 'examples/walk_the_path.py', 'examples/WalkThePath.java', 'examples/walk-the-path.sh'];
  for (const name of ['examples/class.json', ...code]) copy(name);
  for (const { file } of guides) {
    copy(file);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, image] of text.matchAll(/!\[[^\]]*\]\(([^):]+)\)/g)) copy(join(dirname(file), image));
  }
  // In the registry, too, the page of the package comes first.
  const page = readFileSync(join(root, 'docs/package.md'), 'utf8');
  write('README.md', page.replaceAll(/\]\(([\w-]+\.md)/g, '](docs/$1'));
}

function manifestOfPackage() {
  const { name, version, description, license, author, repository } = manifest;
  return {
    ...{ name, version, description, license, author, repository },
    // Until there is a place that it comes from, npm publishes nothing.
    private: repository === undefined ? true : undefined,
    keywords: ['api', 'fake', 'insurance', 'mock', 'oauth2', 'openapi', 'sandbox', 'soap', 'test', 'webhooks'],
    type: 'module',
    engines: { node: `>=${needed}` },
    bin: { 'l-plate': 'bin/lplate.js', lplate: 'bin/lplate.js' },
    main: './lib/library.cjs',
    types: './lib/library.d.cts',
    exports: {
      '.': { types: './lib/library.d.cts', default: './lib/library.cjs' },
      './package.json': './package.json',
    },
    publishConfig: { access: 'public', provenance: true },
  };
}
