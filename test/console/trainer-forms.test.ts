import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encode } from 'uqr';
import {
  aboutOf,
  choiceText,
  labelOf,
  leftText,
  parameterFields,
  parametersOf,
  parametersText,
  shareText,
} from '../../console/model/drill-form.ts';
import { addressForOthers, isOnlyHere, qrPath, startCommand } from '../../console/model/joining.ts';
import { catalogue, drillNames, sentParameters } from '../../src/range/drills/catalogue.ts';

describe('Console, trainer: the form of a drill', () => {
  const delay = parameterFields(sentParameters('delay'));

  test('it has a field for each parameter of each drill', () => {
    for (const name of drillNames) {
      const names = parameterFields(sentParameters(name)).map((field) => field.name);
      deepEqual(names, Object.keys(catalogue[name].parameters.properties));
    }
  });

  test('each field of each drill has a label of words, and says what it is for, with its bounds and default', () => {
    for (const name of drillNames) {
      for (const field of parameterFields(sentParameters(name))) {
        match(labelOf(name, field), /^[A-Z]/, `${name} ${field.name}`);
        match(aboutOf(field), /^[A-Z].+\./, `${name} ${field.name}`);
        for (const value of field.enum ?? []) match(choiceText(name, value), /^[a-z-]+[:,]? .+/, `${name} ${value}`);
      }
    }
    const limits = Object.fromEntries(delay.map((field) => [field.name, aboutOf(field).split('. ').at(-1)]));
    deepEqual(
      [limits.fromMs, limits.toMs, limits.share],
      ['0 to 30000; 2000 if left empty.', '0 to 30000.', '0 to 1; 1 if left empty.'],
    );
    equal(labelOf('unavailable', { name: 'retryAfter' }), 'Seconds in Retry-After');
  });

  test('a share is told in words: 1, and an empty field, are all calls', () => {
    for (const all of ['', ' ', '1', '1.0']) equal(shareText(all, 'calls'), '1: all calls.');
    equal(shareText('0.33', 'deliveries'), 'About 33 % of the deliveries, picked by chance.');
    equal(shareText('0', 'calls'), '0: no calls.');
    for (const none of ['half', '2', '-1', 'NaN']) equal(shareText(none, 'calls'), '0 is none, 0.5 half, 1 all calls.');
    equal(parametersText({ share: 1, retryAfter: 2 }), 'all calls, retryAfter: 2');
    equal(parametersText({ share: 1 }, 'repeat-webhooks'), 'all deliveries');
  });

  test('what is empty is not sent, numbers are numbers, and what is none goes as it is', () => {
    deepEqual(parametersOf(delay, { fromMs: ' 500 ', toMs: '', when: 'after', share: 'half', other: '1' }), {
      fromMs: 500,
      when: 'after',
      share: 'half',
    });
    equal(parametersText({ share: 0.5, when: 'after' }), 'share: 0.5, when: after');
  });

  test('lists are typed with spaces or commas, calls one a line, and what is left of a sequence is told', () => {
    const calls = ['GET /insurer/v1/policies', 'POST /insurer/v1/policies'];
    deepEqual(parametersOf(delay, { sequence: ' hit, pass  hit,', calls: `${calls.join(' \n')}\n` }), {
      sequence: ['hit', 'pass', 'hit'],
      calls,
    });
    deepEqual(parametersOf(delay, { sequence: ' ', calls: '' }), {});
    equal(parametersText({ sequence: ['hit', 'pass'] }), 'sequence: hit pass');
    deepEqual(
      [undefined, [], ['hit', 'pass']].map((left) => leftText(left)),
      ['', 'Its sequence is over.', 'Left of its sequence: hit pass.'],
    );
  });
});

describe('Console, trainer: how to join', () => {
  test('an address that means “this machine” is told from one that others reach', () => {
    for (const host of ['localhost', 'LOCALHOST', 'a.localhost', '127.0.0.1', '127.1.2.3', '[::1]', '0.0.0.0']) {
      equal(isOnlyHere(host), true, host);
    }
    for (const host of [
      '192.168.1.20',
      'class.example',
      '10.0.0.1',
      'localhost.example',
      '[fd00::1]',
      '1270.example',
    ]) {
      equal(isOnlyHere(host), false, host);
    }
  });

  test('the address for others is that of the page, else that of the service, else none', () => {
    const here = new URL('http://localhost:8080/#/trainer/join');
    const other = new URL('http://192.168.1.20:8080/#/trainer/join');
    equal(addressForOthers(other, 'http://localhost:8080/insurer/v1'), 'http://192.168.1.20:8080');
    equal(addressForOthers(here, 'https://class.example/insurer/v1'), 'https://class.example');
    for (const issuer of ['http://localhost:8080/insurer/v1', 'nonsense', undefined]) {
      equal(addressForOthers(here, issuer), undefined);
    }
  });

  test('the command to start has the port of now', () => {
    equal(startCommand('8080'), 'npm start -- --class --port 8080');
    equal(startCommand(''), 'npm start -- --class');
  });

  test('the path of a QR code covers its dark squares, and no others', () => {
    const { data } = encode('http://192.168.1.20:8080/', { ecc: 'M', border: 4 });
    const drawn = data.map((row) => row.map(() => false));
    for (const [, x, y, length] of qrPath(data).matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
      (drawn[Number(y)] as boolean[]).fill(true, Number(x), Number(x) + Number(length));
    }
    deepEqual(drawn, data);
  });
});
