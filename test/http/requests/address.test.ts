import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressKey } from '../../../src/http/requests/address.ts';

test('Limits, per address: an IPv4 address counts whole, and those of this machine as one', () => {
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1');
  const expected = (address: string) => (address.startsWith('127.') ? '127.0.0.1' : address);
  fc.assert(fc.property(fc.ipV4(), (address) => assert.equal(addressKey(address), expected(address))));
});

test('Limits, per address: IPv4 written as IPv6 counts as the IPv4 address', () => {
  const forms = [
    '::ffff:192.0.2.1',
    '::FFFF:192.0.2.1',
    '::ffff:c000:201',
    '::FFFF:C000:0201',
    '0:0:0:0:0:ffff:c000:201',
  ];
  for (const form of forms) assert.equal(addressKey(form), '192.0.2.1');
  assert.equal(addressKey('::ffff:192.0.2.1%eth0'), '192.0.2.1');
});

test('Limits, per address: IPv6 addresses that share their first 64 bits count as one, however written', () => {
  const forms = ['2001:db8:0:7::1', '2001:DB8:0:7::1', '2001:0db8:0000:0007:ffff:1:2:3', '2001:db8:0:7::192.0.2.1'];
  for (const form of forms) assert.equal(addressKey(form), '2001:db8:0:7::/64');
  assert.equal(addressKey('2001:db8:0:8::1'), '2001:db8:0:8::/64');
  assert.equal(addressKey('::2'), '0:0:0:0::/64');
  for (const loopback of [
    '::1',
    '0:0:0:0:0:0:0:1',
    '127.0.0.2',
    '127.255.0.9',
    '::ffff:127.0.0.3',
    '::ffff:7f00:4',
    '::1%lo',
  ])
    assert.equal(addressKey(loopback), '127.0.0.1', 'this machine is one caller');

  const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, groups, (one, other) => {
      const write = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
      const neighbour = [...one.slice(0, 4), ...other.slice(4)];
      assert.equal(addressKey(write(one)), addressKey(write(neighbour)));
      const stranger = one.with(3, one[3] === 0 ? 1 : 0);
      assert.notEqual(addressKey(write(one)), addressKey(write(stranger)));
    }),
  );
});

test('Limits, per address: the zone of an IPv6 address does not count', () => {
  for (const zone of ['eth0', 'eth0.100', '7']) assert.equal(addressKey(`fe80::1%${zone}`), 'fe80:0:0:0::/64');
  assert.equal(addressKey(`fe80::2%${'x'.repeat(10_000)}`), 'fe80:0:0:0::/64');
});

test('Limits, per address: what is no address counts under one constant key', () => {
  const odd = ['', ' ', 'unknown', '1', '1.2.3', '256.1.1.1', '010.0.0.1', '0x7f.0.0.1', '1.2.3.4:80', '1.2.3.4%eth0'];
  odd.push('[::1]', '::1/64', ':::', '1:2:3', '::ffff:1.2.3', '::ffff:', '%', 'example.com', '1'.repeat(100_000));
  for (const address of [undefined, ...odd]) assert.equal(addressKey(address), 'unknown');
});

test('Limits, per address: a key is never longer than an address, and never what a stranger chose', () => {
  const anything = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%') }), fc.ipV6());
  fc.assert(
    fc.property(anything, (address) => {
      const key = addressKey(address);
      assert(key.length <= 24);
      assert.match(key, /^(unknown|[0-9.]+|[0-9a-f:]+::\/64)$/);
      if (isIPv6(address)) assert.notEqual(key, 'unknown');
    }),
    { numRuns: 1_000 },
  );
});
