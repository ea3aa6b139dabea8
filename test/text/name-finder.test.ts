import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { NameFinder } from '../../src/text/name-finder.ts';
import { encodings } from '../support/encodings.ts';

const long = 'Zoe Quillfeather';

test('Decisions, sync: a name is found however it is written in a text', () => {
  const finder = new NameFinder(long);
  equal(finder.erase(`{"holder":"${long}","a":1}`), '{"holder":"erased","a":1}');
  for (const [how, encode] of Object.entries(encodings)) {
    if (how === 'gzip') continue;
    const text = finder.erase(`a ${encode(long)} b`);
    equal(text.includes('erased') && !text.includes(encode(long)), true, `${how}: ${text}`);
  }
  const other = 'Zoe Quill and Quillfeather, %5a%6f%65, Wm9lIFE=';
  equal(finder.erase(other), other);
});

test('Decisions, sync: a name is found where a text was cut within it', () => {
  const finder = new NameFinder(long);
  equal(finder.erase('not "Zoe Quillf…".'), 'not "erased…".');
  equal(finder.erase(`${'x'.repeat(300)} Zoe Qui`), `${'x'.repeat(300)} erased`);
  equal(finder.erase('I am Zoe Qui'), 'I am Zoe Qui');
});

test('Decisions, sync: a name is found in the bytes of a file, as the encodings of a PDF have it', () => {
  const name = 'Zoë Quillfeather';
  const isIn = (bytes: Uint8Array, of = name) => new NameFinder(of).isInBytes(bytes);
  const wide = Buffer.from(`(${name})`, 'utf16le');
  const files = [Buffer.from(`(${name})`), Buffer.from(name, 'latin1'), wide, Buffer.from(wide).swap16()];
  for (const [at, file] of files.entries()) equal(isIn(file), true, `${at}`);
  equal(isIn(Buffer.from('Zoe Quillfeather')), false);
  equal(isIn(Buffer.from('%PDF Ed'), 'Ed'), false);
});

test('Decisions, sync: a short name is none within another word', () => {
  const finder = new NameFinder('Ed');
  equal(
    finder.erase('Ed was updated by "Ed", not by Edda, Ted or Ed2'),
    'erased was updated by "erased", not by Edda, Ted or Ed2',
  );
  equal(new NameFinder('王伟').erase('给王伟先生'), '给erased先生');
});
