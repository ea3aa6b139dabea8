import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coloured, type Language, languageOf } from '../../console/model/syntax.ts';

/** The pieces that have a colour, as `name:"regNumber"`. */
function shown(text: string, language: Language): string[] {
  const pieces = coloured(text, language);
  assert.equal(pieces.map((piece) => piece.text).join(''), text, 'nothing is lost');
  return pieces.flatMap((piece) => (piece.is ? [`${piece.is} ${piece.text}`] : []));
}

describe('Console, colours: what the parts of a text are', () => {
  test('Console, colours: JSON has names, strings, numbers and literals, whatever is quoted in a string', () => {
    assert.deepEqual(shown(String.raw`{"a": "x \"b\": 1, true", "c": -1.5e3, "d": [true, null, "2"]}`, 'json'), [
      'name "a"',
      String.raw`string "x \"b\": 1, true"`,
      'name "c"',
      'number -1.5e3',
      'name "d"',
      'literal true',
      'literal null',
      'string "2"',
    ]);
  });

  test('Console, colours: JSON that was cut off has colours as far as it goes', () => {
    assert.deepEqual(shown('{"a": 1, "b": "cut he', 'json'), ['name "a"', 'number 1', 'name "b"', 'string "cut he']);
    assert.deepEqual(shown('no JSON at all', 'json'), []);
  });

  test('Console, colours: XML has tags, attributes, their values, and comments', () => {
    assert.deepEqual(shown('<?xml version="1.0"?><a:b c="d">e = "f" &lt;</a:b><!-- <x> --><g/>', 'xml'), [
      'aside <?xml version="1.0"?>',
      'name <a:b',
      'literal c',
      'string "d"',
      'name >',
      'name </a:b',
      'name >',
      'aside <!-- <x> -->',
      'name <g',
      'name />',
    ]);
  });

  test('Console, colours: a form has names and values, and events have fields around their JSON', () => {
    assert.deepEqual(shown('a=1&b=x%20y&c', 'form'), ['name a', 'string 1', 'name b', 'string x%20y']);
    assert.deepEqual(shown(': hello\nid: 7-a\ndata: {"d": 2}', 'events'), [
      'aside : hello',
      'name id',
      'name data',
      'name "d"',
      'number 2',
    ]);
  });

  test('Console, colours: only the beginning of a long text has some, so that the page stays quick', () => {
    const text = JSON.stringify(Array(10_000).fill(1));
    const pieces = coloured(text, 'json');
    assert.equal(pieces.filter(({ is }) => is).length, 4000);
    assert.equal(pieces.map((piece) => piece.text).join(''), text);
  });

  test('Console, colours: the media type says how a body is written', () => {
    const types = ['application/problem+json', 'text/xml; charset=utf-8', 'text/event-stream', 'text/plain'];
    assert.deepEqual(types.map(languageOf), ['json', 'xml', 'events', undefined]);
  });
});
