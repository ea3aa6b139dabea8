import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/* Of whom the package is made: their licences, and the list that programs read. */

/** The packages of npm that files of a bundle belong to, each once, by name. */
export function packagesOf(root, files) {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const packages = [...folders].map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const texts = readdirSync(join(root, folder))
      .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
    return { name, version, license, author, texts };
  });
  return distinct(packages);
}

/** Each once, by name. */
export function distinct(packages) {
  const byPurl = new Map(packages.map((each) => [purl(each), each]));
  return [...byPurl.values()].sort((a, b) => (purl(a) < purl(b) ? -1 : 1));
}

const purl = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Between the parts of notices. */
const line = `\n${'-'.repeat(80)}\n\n`;

/** The licences, each text once, below the packages that have it, and `first` above them all. */
export function notices(packages, first) {
  const byText = new Map();
  for (const { name, version, license, author, texts } of packages) {
    // A few packages name their licence and bring no text of it.
    const text = texts.join('\n\n') || `${license}${author ? `, ${author.name ?? author}` : ''}`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return [`${first}\n`, ...parts].join(line);
}

/** The packages that notices name, with their texts. */
export function notedPackages(text) {
  const parts = text.split(line).slice(1);
  return parts.flatMap((part) => {
    const end = part.indexOf('\n\n');
    const names = part.slice(0, end).matchAll(/^(\S+) (\S+) \((.+)\)$/gm);
    const texts = [part.slice(end).trim()];
    return [...names].map(([, name, version, license]) => ({ name, version, license, texts }));
  });
}

/** In CycloneDX. */
export function billOfMaterials({ name, version, license }, packages) {
  const own = { type: 'application', 'bom-ref': purl({ name, version }), name, version, licenses: licensesOf(license) };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...own, purl: purl({ name, version }) } },
    components: packages.map((each) => ({
      type: 'library',
      'bom-ref': purl(each),
      name: each.name,
      version: each.version,
      licenses: licensesOf(each.license),
      purl: purl(each),
    })),
    dependencies: [{ ref: own['bom-ref'], dependsOn: packages.map(purl) }],
  };
}

function licensesOf(license) {
  return / (?:OR|AND|WITH) /.test(license)
    ? [{ expression: license.replace(/^\((.*)\)$/, '$1') }]
    : [{ license: { id: license } }];
}
