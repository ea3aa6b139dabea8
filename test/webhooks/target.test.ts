import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  checkUrl,
  findTarget,
  mayCall,
  type Resolve,
  type TargetRules,
  targetRules,
} from '../../src/webhooks/target.ts';

const strict: TargetRules = { allowed: [], loopback: false };
const local: TargetRules = { allowed: [], loopback: true };
const allowing = (...allowed: string[]): TargetRules => ({ allowed, loopback: false });

const noResolving: Resolve = async (name) => assert.fail(`${name} is an address, and was looked up`);
const answering =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

/** What a subscriber gets for this text: the addresses, or the reason of the refusal. */
async function judge(text: string, rules = strict, resolve = noResolving): Promise<string[] | string> {
  const url = checkUrl(text);
  if ('refused' in url) return url.refused;
  const found = await findTarget(url, rules, resolve);
  return 'refused' in found ? found.refused : found.map(({ address, family }) => `${address} ${family}`);
}

async function assertRefused(text: string, reason: RegExp, rules = strict, resolve = noResolving): Promise<void> {
  const judged = await judge(text, rules, resolve);
  assert.equal(typeof judged, 'string', `${text} is open: ${judged}`);
  assert.match(judged as string, reason, text);
}

/** The first and last address of each closed IPv4 range, and the word for it. */
const closed4: [first: string, last: string, word: RegExp][] = [
  ['0.0.0.0', '0.255.255.255', /unspecified/],
  ['10.0.0.0', '10.255.255.255', /private/],
  ['100.64.0.0', '100.127.255.255', /carrier/],
  ['127.0.0.0', '127.255.255.255', /loopback/],
  ['168.63.129.16', '168.63.129.16', /metadata/],
  ['169.254.0.0', '169.254.169.253', /link-local/],
  ['169.254.169.254', '169.254.169.254', /metadata/],
  ['169.254.169.255', '169.254.255.255', /link-local/],
  ['172.16.0.0', '172.31.255.255', /private/],
  ['192.0.0.0', '192.0.0.255', /reserved/],
  ['192.0.2.0', '192.0.2.255', /documentation/],
  ['192.31.196.0', '192.31.196.255', /reserved/],
  ['192.52.193.0', '192.52.193.255', /reserved/],
  ['192.88.99.0', '192.88.99.255', /reserved/],
  ['192.168.0.0', '192.168.255.255', /private/],
  ['192.175.48.0', '192.175.48.255', /reserved/],
  ['198.18.0.0', '198.19.255.255', /benchmarks/],
  ['198.51.100.0', '198.51.100.255', /documentation/],
  ['203.0.113.0', '203.0.113.255', /documentation/],
  ['224.0.0.0', '239.255.255.255', /multicast/],
  ['240.0.0.0', '255.255.255.254', /reserved/],
  ['255.255.255.255', '255.255.255.255', /broadcast/],
];
const number = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const isClosed4 = (value: number) => closed4.some(([first, last]) => value >= number(first) && value <= number(last));
const hex = (value: number, digits = 1) => value.toString(16).padStart(digits, '0');
const halves = (value: number) => `${hex(value >>> 16)}:${hex(value & 0xffff)}`;

/** The ways to write one IPv4 address into a URL. */
const spellings: ((value: number) => string)[] = [
  dotted,
  (value) => String(value),
  (value) => `0x${hex(value)}`,
  (value) => `0X${hex(value, 8).toUpperCase()}`,
  (value) => `0${value.toString(8)}`,
  (value) => `${dotted(value)}.`,
  (value) => dotted(value).replace(/\d+/g, (part) => `0${Number(part).toString(8)}`),
  (value) => dotted(value).replace(/\d+/g, (part) => `0x${hex(Number(part))}`),
  (value) => `${value >>> 24}.${value & 0xffffff}`,
  (value) => `${value >>> 24}.${(value >>> 16) & 255}.0x${hex(value & 0xffff)}`,
  (value) => dotted(value).replaceAll('.', '%2e'),
  (value) => dotted(value).replaceAll('.', '。'),
  (value) => `[::ffff:${dotted(value)}]`,
  (value) => `[::FFFF:${halves(value)}]`,
  (value) => `[0:0:0:0:0:ffff:${halves(value)}]`,
  (value) => `[0000::0000:ffff:${hex(value >>> 16, 4)}:${hex(value & 0xffff, 4)}]`,
];
const spelling = fc.constantFrom(...spellings);
const closedValue = fc
  .constantFrom(...closed4)
  .chain(([first, last]) =>
    fc.oneof(fc.constantFrom(first, last).map(number), fc.integer({ min: number(first), max: number(last) })),
  );
const openValue = fc.integer({ min: 0, max: 0xffffffff }).filter((value) => !isClosed4(value));

test('Decisions, claims and events: each closed IPv4 range is closed from its first to its last address', async () => {
  for (const [first, last, word] of closed4) {
    for (const address of [first, last]) await assertRefused(`http://${address}/`, word);
    for (const beside of [number(first) - 1, number(last) + 1]) {
      if (beside < 0 || beside > 0xffffffff) continue;
      assert.equal(mayCall(dotted(beside), strict), !isClosed4(beside), dotted(beside));
    }
  }
});

test('Decisions, claims and events: a closed IPv4 address stays closed in every spelling, a public one open', async () => {
  const closed = fc.asyncProperty(closedValue, spelling, async (value, write) => {
    await assertRefused(`http://${write(value)}:8080/x`, /^its address is [^;]+; .*WEBHOOK_ALLOW/);
  });
  const open = fc.asyncProperty(openValue, spelling, async (value, write) => {
    assert.deepEqual(await judge(`https://${write(value)}/`), [`${dotted(value)} 4`]);
  });
  await fc.assert(closed, { numRuns: 1_000 });
  await fc.assert(open, { numRuns: 1_000 });
});

test('Decisions, claims and events: IPv4 in any other IPv6 form is closed, public or not', async () => {
  const forms: ((value: number) => string)[] = [
    (value) => `::${dotted(value)}`,
    (value) => `::ffff:0:${dotted(value)}`,
    (value) => `64:ff9b::${dotted(value)}`,
    (value) => `64:ff9b:1:2:3:4:${halves(value)}`,
    (value) => `2002:${halves(value)}::1`,
    (value) => `2001:0:${halves(value)}:8000:1:2:3`,
    (value) => `2001:0:1:2:3:4:${halves(~value >>> 0)}`,
    (value) => `2606:4700:1:2:0:5efe:${halves(value)}`,
    (value) => `2606:4700:1:2:200:5efe:${halves(value)}`,
  ];
  const value = fc.oneof(openValue, closedValue);
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom(...forms), async (each, write) => {
      // By way of a resolver too: the text is not rewritten by URL then.
      await assertRefused(`http://[${write(each)}]/`, /^its address is/);
      await assertRefused('http://partner.example/', /^its address is/, strict, answering(write(each)));
    }),
    { numRuns: 1_000 },
  );
});

test('Decisions, claims and events: of IPv6 only global unicast is open, without the ranges set apart in it', async () => {
  const apart = new BlockList();
  const ranges = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    apart.addSubnet(network, Number(bits), 'ipv6');
  }
  const unicast = new BlockList();
  unicast.addSubnet('2000::', 3, 'ipv6');
  const first = '0 1 64 100 1fff 2000 2001 2002 2400 2620 3ffe 3fff 4000 5f00 fc00 fdff fe80 febf fec0 feff ff02 ffff';
  const heads = first.split(' ').map((group) => Number.parseInt(group, 16));
  const edges = [0, 1, 2, 0x10, 0x1ff, 0x200, 0xdb8, 0x4f, 0xff9b, 0x8000, 0xfff, 0x1000];
  const group = fc.oneof(fc.constantFrom(...edges), fc.nat(0xffff));
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.array(group, { minLength: 7, maxLength: 7 }), (head, tail) => {
      fc.pre(tail[4] !== 0x5efe);
      const address = [head, ...tail].map((part) => hex(part)).join(':');
      fc.pre(!address.startsWith('0:0:0:0:0:ffff:'));
      const open = unicast.check(address, 'ipv6') && !apart.check(address, 'ipv6');
      assert.equal(mayCall(address, strict), open, address);
    }),
    { numRuns: 3_000 },
  );
  const words: Record<string, RegExp> = {
    '::': /unspecified/,
    '::1': /loopback/,
    'fd00:ec2::254': /metadata/,
    'fc00::1': /private/,
    'fec0::1': /private/,
    'fe80::1': /link-local/,
    'ff02::1': /multicast/,
    '2001:db8::1': /documentation/,
    '2001:2::1': /benchmarks/,
    '4000::1': /reserved/,
  };
  for (const [address, word] of Object.entries(words)) await assertRefused(`http://[${address}]/`, word);
  assert.deepEqual(await judge('http://[2606:4700::0001]/'), ['2606:4700::1 6']);
});

test('Decisions, claims and events: loopback is open only by its rule, and nothing else with it', async () => {
  for (const host of ['127.0.0.1', '127.255.0.9', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]']) {
    await assertRefused(`http://${host}/`, /loopback; webhooks can call this machine only if/);
    assert.notEqual(typeof (await judge(`http://${host}/`, local)), 'string', host);
  }
  assert.deepEqual(await judge('http://localhost:3000/', local, answering('::1', '127.0.0.1')), [
    '::1 6',
    '127.0.0.1 4',
  ]);
  for (const host of ['10.0.0.1', '0.0.0.0', '[::]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '169.254.169.254']) {
    await assertRefused(`http://${host}/`, /^its address is/, local);
  }
});

test('Decisions, claims and events: loopback opens when service and public URL are loopback and no proxy is trusted', () => {
  const loopback = (host: string, publicUrl: string, trustProxy: false | number | string[] = false) =>
    targetRules({ host, publicUrl, trustProxy, webhookAllow: [], webhookAllowFollows: false }).loopback;
  for (const host of ['127.0.0.1', '127.0.0.53', 'localhost', '::1']) {
    for (const url of ['http://localhost:8080', 'https://127.1.2.3', 'http://[::1]:8080']) assert(loopback(host, url));
  }
  for (const host of ['0.0.0.0', '::', '192.168.1.2', 'insurer.example', 'localhost.example', '127.1']) {
    assert(!loopback(host, 'http://localhost:8080'), host);
  }
  for (const url of ['https://insurer.example', 'http://localhost.example', 'http://10.0.0.1', 'http://[::2]']) {
    assert(!loopback('127.0.0.1', url), url);
  }
  for (const proxy of [1, ['127.0.0.1']]) assert(!loopback('127.0.0.1', 'http://localhost:8080', proxy));
  const config = {
    host: '::',
    publicUrl: 'http://localhost',
    trustProxy: false as const,
    webhookAllow: ['10.0.0.0/8'],
    webhookAllowFollows: false,
  };
  assert.deepEqual(targetRules(config), { allowed: ['10.0.0.0/8'], loopback: false });
});

test('Decisions, claims and events: WEBHOOK_ALLOW opens what it names, in every spelling, and no more', async () => {
  const cases: [allowed: string, open: string[], closed: string[]][] = [
    ['10.1.0.0/16', ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '::ffff:a01:203'], ['10.2.0.0', '::10.1.2.3']],
    ['192.168.7.7', ['192.168.7.7', '::ffff:c0a8:707'], ['192.168.7.6', '64:ff9b::c0a8:707', '2002:c0a8:707::']],
    ['0.0.0.0/0', ['127.0.0.1', '169.254.169.254', '224.0.0.1'], ['::1', 'fe80::1']],
    ['::/0', ['::1', 'fe80::1', '64:ff9b::1'], ['10.0.0.1', '::ffff:10.0.0.1']],
    ['fd12:3456::/32', ['fd12:3456:1::1'], ['fd12:3457::1', 'fe80::1%eth0']],
    ['::1', ['::1'], ['::', '::2', '127.0.0.1']],
  ];
  for (const [range, open, closed] of cases) {
    for (const address of open) assert(mayCall(address, allowing('203.0.113.1', range)), `${range} ${address}`);
    for (const address of closed) assert(!mayCall(address, allowing(range)), `${range} ${address}`);
  }
  assert.deepEqual(await judge('http://0xA010203/', allowing('10.1.0.0/16')), ['10.1.2.3 4']);
});

test('Decisions, claims and events: an entry of WEBHOOK_ALLOW that cannot be read opens nothing', () => {
  const odd = ['', '/', '/0', '10', '012.0.0.0/8', ...['', 'x', '-1', '33', '1e0'].map((bits) => `10.0.0.0/${bits}`)];
  for (const entry of odd) assert(!mayCall('10.0.0.0', allowing(entry)), entry);
  for (const entry of ['::/129', '::/', 'fc00::%eth0/7', '[fc00::]/7'])
    assert(!mayCall('fc00::', allowing(entry)), entry);
});

test('Decisions, claims and events: what is no address, or has a zone, is never called', () => {
  const everything = { allowed: ['0.0.0.0/0', '::/0'], loopback: true };
  const odd = '8.8.8 134744072 010.8.8.8 0x8.8.8.8 8.8.8.8:80 [2606::1] 2606::1%eth0 localhost'.split(' ');
  for (const text of ['', ...odd]) assert.equal(mayCall(text, everything), false, text);
  const soup = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%x/') }),
    fc.ipV6(),
    fc.ipV4(),
  );
  fc.assert(
    fc.property(soup, (text) => assert.equal(mayCall(text, everything), isIP(text) !== 0 && !text.includes('%'))),
    { numRuns: 2_000 },
  );
});

test('Decisions, claims and events: a name is looked up once, and one closed address among its own closes it', async () => {
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    return ['93.184.216.34', '2606:4700::1', '::ffff:93.184.216.34'];
  };
  // IPv4 written as IPv6 is told, and so called, as IPv4.
  assert.deepEqual(await judge('http://partner.example./', strict, resolve), ['93.184.216.34 4', '2606:4700::1 6']);
  assert.deepEqual(asked, ['partner.example.']);
  for (const closed of ['10.20.30.40', '::1', '::ffff:10.20.30.40', 'fe80::1%eth0', '::8.8.8.8', 'rubbish']) {
    for (const found of [[closed], ['93.184.216.34', closed], [closed, '93.184.216.34']]) {
      const reason = await judge('http://partner.example/', strict, answering(...found));
      assert.match(String(reason), /^its address is/);
      // Whoever asks must not learn what the names of the inner network lead to.
      for (const address of found) assert(!reason.includes(address), String(reason));
    }
  }
  assert.deepEqual(await judge('http://desk.inside/', allowing('10.0.0.0/8'), answering('10.20.30.40')), [
    '10.20.30.40 4',
  ]);
});

test('Decisions, claims and events: a name that later leads to a closed address is refused then', async () => {
  const answers = [['93.184.216.34'], ['10.0.0.1']];
  const resolve: Resolve = async () => answers.shift() ?? [];
  assert.deepEqual(await judge('http://partner.example/', strict, resolve), ['93.184.216.34 4']);
  await assertRefused('http://partner.example/', /private/, strict, resolve);
});

test('Decisions, claims and events: a name without an address, or whose lookup fails, is refused with a reason', async () => {
  const failing =
    (code: string): Resolve =>
    async () => {
      throw Object.assign(new Error(`query ${code} 10.0.0.53`), { code });
    };
  const unknown = /^its host name has no address; check the spelling$/;
  await assertRefused('http://partner.example/', unknown, strict, answering());
  for (const code of ['ENOTFOUND', 'ENODATA']) await assertRefused('http://x.example/', unknown, strict, failing(code));
  await assertRefused(
    'http://x.example/',
    /^its host name could not be looked up; try again later/,
    strict,
    failing('EAI_AGAIN'),
  );
});

test('Decisions, claims and events: the URL of a webhook is http or https, without user and password', async () => {
  const cases: Record<string, RegExp> = {
    'ftp://partner.example/': /must begin with http/,
    'file:///etc/passwd': /must begin with http/,
    'javascript:alert(1)': /must begin with http/,
    'partner.example/hooks': /is not a URL/,
    '/hooks': /is not a URL/,
    '': /is not a URL/,
    'http://': /is not a URL/,
    'https://?x': /is not a URL/,
    'http://256.256.256.256/': /is not a URL/,
    'http://1.2.3.4.5/': /is not a URL/,
    'http://[fe80::1%25eth0]/': /is not a URL/,
    'http://user@partner.example/': /user or password/,
    'http://:password@partner.example/': /user or password/,
    'http://partner.example@127.0.0.1/': /user or password/,
    'http://partner.example:0/': /port is 0/,
  };
  for (const [text, reason] of Object.entries(cases)) await assertRefused(text, reason);
});

test('Decisions, claims and events: the URL of a webhook has at most 2,048 characters, and no fragment', async () => {
  const start = 'https://partner.example/';
  const href = (text: string) => {
    const url = checkUrl(text);
    return 'refused' in url ? assert.fail(url.refused) : url.href;
  };
  const longest = start.padEnd(2048, 'x');
  assert.equal(href(longest), longest);
  await assertRefused(`${longest}x`, /longer than 2048 characters$/);
  await assertRefused(start.padEnd(1000, 'ä'), /longer than 2048 characters once encoded/);
  assert.equal(href(`${start}hooks?a=1#part`), `${start}hooks?a=1`);
  assert.equal(href('HTTP://Partner.Example:80'), 'http://partner.example/');
});
