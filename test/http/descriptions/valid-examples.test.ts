import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { bases, type Document } from '../../support/description.ts';
import { onSqlite } from '../../support/engines.ts';
import { resolve } from '../../support/lint-description.ts';
import { type LPlate, startLPlate } from '../../support/lplate.ts';

/** Every description that is served: those that the interfaces list, and the draft. */
async function everyDescription(lplate: LPlate): Promise<Map<string, Document>> {
  const read = async (path: string): Promise<Document> => (await fetch(lplate.url + path)).json();
  const documents = new Map<string, Document>();
  for (const base of bases) {
    const { paths } = await read(`${base}/openapi.json`);
    for (const path of Object.keys(paths).filter((each) => each.endsWith('.yaml'))) {
      const inJson = base + path.replace(/yaml$/, 'json');
      documents.set(inJson, await read(inJson));
    }
  }
  return documents.set('/insurer/v0/openapi.json', await read('/insurer/v0/openapi.json'));
}

interface Found {
  readonly schema: Document;
  readonly value: unknown;
  readonly where: string;
}

const isObject = (value: unknown): value is Document =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Each example with the schema that it is of: those of media types, parameters, headers, messages and of schemas themselves. */
function* examplesIn(document: Document, node: Document = document, where = ''): Generator<Found> {
  if (Array.isArray(node)) {
    for (const [at, each] of node.entries()) yield* examplesIn(document, each, `${where}/${at}`);
    return;
  }
  if (!isObject(node)) return;
  const { schema, payload, example, examples } = node;
  // The examples of the components stand where they are used.
  if (where !== '/components' && (example !== undefined || examples)) {
    const of = schema ?? payload ?? node;
    if (example !== undefined) yield { schema: of, value: example, where: `${where}/example` };
    const all: Document[] = isObject(examples) ? Object.values(examples) : (examples ?? []);
    for (const [at, each] of all.entries()) {
      const value = Array.isArray(examples) ? (payload ? each.payload : each) : resolve(document, each).value;
      yield { schema: of, value, where: `${where}/examples/${at}` };
      if (payload && each.headers) yield { schema: node.headers, value: each.headers, where: `${where}/headers/${at}` };
    }
  }
  for (const [name, each] of Object.entries(node)) {
    // An example is no part of the document; a member may be called `example`.
    const isValue = /^(example|examples|default|const|enum)$/.test(name) && !/\/properties$/.test(where);
    if (!isValue) yield* examplesIn(document, each, `${where}/${name}`);
  }
}

onSqlite((engine) => {
  test('Decisions, descriptions: every example of every description that is served fits its schema and shows something', async (t) => {
    const lplate = await startLPlate(t, engine);
    const documents = await everyDescription(lplate);
    assert.equal(documents.size, 6);
    const faults: string[] = [];
    let checked = 0;
    for (const [path, document] of documents) {
      const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
      const { components } = document;
      for (const found of examplesIn(document)) {
        checked += 1;
        const fits = ajv.validate({ ...found.schema, components }, found.value);
        if (!fits)
          faults.push(`${path}#${found.where}: ${ajv.errorsText()}: ${JSON.stringify(found.value)?.slice(0, 200)}`);
        if (isObject(found.value) && Object.keys(found.value).length === 0)
          faults.push(`${path}#${found.where} shows nothing`);
      }
    }
    assert.deepEqual(faults, []);
    assert(checked > 1000, `${checked} examples`);
  });
});
