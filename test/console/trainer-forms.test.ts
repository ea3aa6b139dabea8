import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encode } from 'uqr';
import { boundsOf, parameterFields, parametersOf, parametersText } from '../../console/model/drill-form.ts';
import { isOnlyHere, qrPath, startCommand } from '../../console/model/join.ts';
import { catalogue, drillNames, sentParameters } from '../../src/range/drills/catalogue.ts';

describe('Console, trainer: the form of a drill', () => {
  const delay = parameterFields(sentParameters('delay'));

  test('it has a field for each parameter of each drill', () => {
    for (const name of drillNames) {
      const names = parameterFields(sentParameters(name)).map((field) => field.name);
      deepEqual(names, Object.keys(catalogue[name].parameters.properties));
    }
  });

  test('an empty field shows the default and the bounds', () => {
    deepEqual(
      delay.map((field) => [field.name, boundsOf(field)]),
      [
        ['fromMs', '2000 (0 to 30000)'],
        ['toMs', '0 to 30000'],
        ['when', 'before'],
        ['share', '1 (0 to 1)'],
        ['seed', '0 to 2147483647'],
      ],
    );
  });

  test('what is empty is not sent, numbers are numbers, and what is none goes as it is', () => {
    deepEqual(parametersOf(delay, { fromMs: ' 500 ', toMs: '', when: 'after', share: 'half', other: '1' }), {
      fromMs: 500,
      when: 'after',
      share: 'half',
    });
    equal(parametersText({ share: 0.5, when: 'after' }), 'share: 0.5, when: after');
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
