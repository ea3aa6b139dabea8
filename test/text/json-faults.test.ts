import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { jsonFaults } from '../../src/text/json-faults.ts';
import { anyText } from '../support/any-text.ts';
import { onSqlite } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { problem, sharedClient, sharedLPlate } from '../support/lplate.ts';
import { processorTime } from '../support/processor-time.ts';

const seed = chooseSeed();
const place = /^line \d+, column \d+: \S/;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A body that has been right: signs were taken out of it, put in, or changed. */
const damaged = fc
  .tuple(
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ regNumber: 'AB-1234', value }, null, 1)),
    fc.array(
      fc.record({
        at: fc.nat(),
        out: fc.nat({ max: 2 }),
        put: fc.oneof(fc.constantFrom('', ...'{}[]:,"\'\\/*#;=\n\t“”-+.0eu'), anyText({ maxLength: 2 })),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([text, damages]) => {
    let now = text;
    for (const { at, out, put } of damages) {
      const from = at % (now.length + 1);
      now = `${now.slice(0, from)}${put}${now.slice(from + out)}`;
    }
    return now;
  });

describe('Errors, 1: what is wrong with a text that is not JSON', () => {
  test('Errors, 1: behind a comment the line goes on to its end, and that is no fault', () => {
    const comment = 'a comment, which JSON does not have';
    for (const end of ['\n', '\r\n', '\r'])
      for (const text of ['// c', '# c', '/* c */', '/* c */ '])
        assert.deepEqual(jsonFaults(`{${end}  ${text}${end}  "a": 1${end}}`), [`line 2, column 3: ${comment}`]);
    assert.deepEqual(jsonFaults('{} // c'), [`line 1, column 4: ${comment}`]);
  });

  test('Errors, 1: a text has faults, each with its place, if it is not JSON, and none if it is', () => {
    const texts = fc.oneof(
      damaged,
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'{}[]:,"\'\\ \n1-.eEtruefalsn/*') }),
    );
    const property = fc.property(texts, (text) => {
      const faults = jsonFaults(text);
      assert.equal(faults.length === 0, isJson(text), text);
      assert.ok(faults.length <= 5);
      for (const fault of faults) assert.match(fault, place);
    });
    fc.assert(property, { seed, numRuns: extent(2_000, 100_000) });
  });

  test('Errors, 1: 64 KiB of anything are read in no time', async () => {
    const signs = [
      '{',
      '[',
      '"',
      "'",
      '\\"',
      '{"a":',
      '{"a":1,',
      "{'a':",
      '/*',
      '/**/',
      '//\n',
      '#\n',
      '“',
      '1 ',
      'a ',
      ',',
      ':',
    ];
    for (const sign of [
      ...signs,
      '\\',
      '\\u',
      '}',
      ']',
      '\u2028',
      '{a b',
      '{"a" 1 ',
      '[True,',
      '[01,',
      ' ',
      '{"a":x y z',
      "[''",
    ]) {
      for (const text of [sign.repeat(65_536 / sign.length), `{"a": ${sign.repeat(65_000 / sign.length)}}`]) {
        const took = await processorTime(() => jsonFaults(text));
        assert.ok(took < 250, `${JSON.stringify(sign)}: ${took} ms`);
      }
    }
  });

  onSqlite((engine) => {
    const lplate = sharedLPlate(engine);
    const client = sharedClient(lplate);

    test('Errors, 1: a damaged body is malformed-json with the place of the fault, and none of its texts', async () => {
      const property = fc.asyncProperty(damaged, async (text) => {
        const headers = { 'Content-Type': 'application/json' };
        const answer = await lplate.call('POST', '/policies', { token: client.token, body: text, headers });
        if (isJson(text)) return;
        assert.deepEqual(problem(answer), [400, 'malformed-json']);
        assert.match(answer.json.detail, /line \d+, column \d+/i);
        assert.doesNotMatch(answer.json.detail, /AB-1|regNumber/);
      });
      await fc.assert(property, { seed, numRuns: extent(100, 3_000) });
    });
  });
});
