import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import fc from 'fast-check';
import type { XmlElement } from 'libxml2-wasm';
import { onSqlite } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { sharedLPlate } from '../support/lplate.ts';
import { envelope, request } from './envelopes.ts';
import { writings } from './plates.ts';
import { parseXml, prefixes, textAt } from './xml.ts';

const seed = chooseSeed();

type Facts = Record<string, string | number>;

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);
  /** v1 element → v2 member, as the migration guide has them. */
  let guide: Map<string, string>;
  before(async () => {
    const page = await readFile(new URL('../../docs/vehicle-registry.md', import.meta.url), 'utf8');
    guide = new Map([...page.matchAll(/^\| `([A-Z]\w+)` \| `([a-z_]+)` \|/gm)].map(([, v1 = '', v2 = '']) => [v1, v2]));
  });

  const soap = async (plate: string) => {
    const body = envelope(request(`<RegNumber>${plate}</RegNumber>`));
    return (await lplate.call('POST', '/vehicle-registry/v1', { body })).text;
  };
  const rest = async (plate: string): Promise<Facts> =>
    (await lplate.call('GET', `/vehicle-registry/v2/vehicles/${plate}`)).json;

  /** An answer of v1 made into one of v2, by the migration guide. */
  function migrated(text: string): Facts {
    using document = parseXml(text);
    const elements = document.find('//v:GetVehicleDataResponse/*', prefixes) as XmlElement[];
    return Object.fromEntries(
      elements.map(({ name, content }) => {
        const member = guide.get(name) ?? name;
        if (member === 'fuel_type') return [member, content.toLowerCase()];
        return [member, member === 'engine_capacity_ccm' ? Number(content) : content];
      }),
    );
  }

  test('Versioning: v1 and v2 tell the same facts of any plate, in the same order, and the same when asked again', async () => {
    assert.equal(guide.size, 10);
    const keys = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(writings, async (plate) => {
        const [first, again, v2, v2Again] = await Promise.all([soap(plate), soap(plate), rest(plate), rest(plate)]);
        assert.equal(first, again);
        assert.deepEqual(v2, v2Again);
        const facts = migrated(first);
        assert.deepEqual(facts, v2);
        assert.deepEqual(Object.keys(facts), Object.keys(v2));
        assert.equal(facts.reg_number, plate);
        for (const key of Object.keys(facts)) keys.set(key, (keys.get(key) ?? 0) + 1);
      }),
      { seed, numRuns: extent(30, 300) },
    );
    // Enough plates to have met those without a fact, and those with it.
    for (const member of ['vin_code', 'engine_capacity_ccm', 'inspection_valid_to']) {
      const times = keys.get(member) ?? 0;
      assert(times > 0 && times < 300, `${member}: ${times}`);
    }
  });

  test('Versioning: what v1 does not find, v2 does not find either', async () => {
    const odd = fc.oneof(
      fc.stringMatching(/^[A-Z]{1,3}-?[0-9]{3,5}$/),
      fc.stringMatching(/^(XX|ZZ)-?[0-9]{4}$/),
      fc.stringMatching(/^[a-z]{2}-?0000$/),
      fc.stringMatching(/^[\w äß!()~.-]{1,20}$/).filter((text) => !/^\.{1,2}$/.test(text)),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (number) => {
        const text = await soap(number);
        const { status, json } = await lplate.call(
          'GET',
          `/vehicle-registry/v2/vehicles/${encodeURIComponent(number)}`,
        );
        const isFault = textAt(parseXml(text), '//v:VehicleNotFoundFault/v:Message') !== undefined;
        assert.equal(status, isFault ? 404 : 200);
        if (isFault) assert.match(json.type, /\/problems\/vehicle-not-found$/);
        else assert.deepEqual(migrated(text), json);
      }),
      { seed, numRuns: extent(30, 300) },
    );
  });
});
