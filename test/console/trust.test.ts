import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { isLasting } from '../../console/model/lasting-address.ts';
import { firstCalls, tools } from '../../console/pages/start/first-calls.ts';
import { trustLines } from '../../console/pages/start/trust.ts';

test('Console, start: without an authority the first calls are as ever, and each tool has a step before them', () => {
  const inputs = { origin: 'https://class.example', clientId: 'demo-1', clientSecret: 'secret-1' };
  for (const { id } of tools) {
    ok(!firstCalls(id, inputs).includes('lplate-ca.pem'), id);
    match(trustLines(id, 'https://class.example'), /https:\/\/class\.example\/ca\.pem/);
  }
});

test('Console, certificate: only an address that leads there later stands on it', () => {
  for (const url of ['https://training.example.com/insurer/v1', 'https://l-plate.example.org:8443'])
    equal(isLasting(url), true, url);
  for (const url of [
    ...['http://localhost:8080', 'http://192.168.1.20:8080', 'http://10.0.0.1', 'http://203.0.113.9', 'http://[::1]'],
    ...['http://laptop:8080', 'http://laptop.local:8080', 'http://box.lan', 'nonsense'],
  ])
    equal(isLasting(url), false, url);
});
