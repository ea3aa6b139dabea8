import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { lexer } from 'marked';
import {
  adapted,
  hiddenSecret,
  imageOf,
  slug,
  stopsOf,
  takesClient,
  targetOf,
  unescaped,
  withSecret,
} from '../../console/pages/guides/guide.ts';
import { type Guide, guides } from '../../src/navigation.ts';
import { servedMarkdown } from '../../src/pages/guide-links.ts';
import { root } from '../support/program.ts';

const origin = 'https://class.example:8443';
const client = { clientId: 'demo-8bd5bb9f74d9ee05ee31', clientSecret: 'pb9qIu_8kq8' };
const events = guides.find(({ name }) => name === 'events') as Guide;
const tutorial = guides.find(({ name }) => name === 'tutorial') as Guide;

describe('Console, guides: what is made of the Markdown', () => {
  test('Console, guides: addresses are those of the reader, in commands, in output and in text', () => {
    const page = 'Open http://localhost:8080/docs.\n\n```sh\nBASE=http://localhost:8080/x\n```\n';
    const expected = `Open ${origin}/docs.\n\n\`\`\`sh\nBASE=${origin}/x\n\`\`\`\n`;
    assert.equal(adapted(page, { origin }), expected);
    assert.equal(adapted(page, { origin, client }), expected, 'a guide that makes no client stays nobody’s');
  });

  test('Console, guides: with the reader’s client the commands take it, and go to the addresses that say whose calls they are', () => {
    const page = [
      'See http://localhost:8080/docs.',
      '```sh',
      'BASE=http://localhost:8080/insurer/v1',
      'curl -s -X POST $BASE/demo-clients | tee credentials.json',
      'CLIENT=$(curl -s -X POST $BASE/demo-clients)',
      '```',
      '```text',
      'http://localhost:8080/problems/x',
      '```',
    ].join('\n');
    assert.ok(takesClient(page));
    assert.deepEqual(adapted(page, { origin, client }).split('\n'), [
      `See ${origin}/docs.`,
      '```sh',
      `BASE=${origin}/for/${client.clientId}/insurer/v1`,
      `echo '{"client_id":"${client.clientId}","client_secret":"${client.clientSecret}"}' | tee credentials.json`,
      'CLIENT=$(curl -s -X POST $BASE/demo-clients)',
      '```',
      '```text',
      `${origin}/problems/x`,
      '```',
    ]);
    const to = page.replace('| tee', '>');
    assert.match(adapted(to, { origin, client }), /^echo '\{.*\}' > credentials\.json$/m);
  });

  test('Console, guides: what the text says of the credentials is true of the reader’s own', async () => {
    const page = await readFile(join(root, tutorial.file), 'utf8');
    const says = 'Anybody can create them. The secret is shown only once.';
    assert.ok(adapted(page, { origin }).includes(says));
    const own = adapted(page, { origin, client });
    assert.ok(!own.includes(says));
    assert.ok(own.includes('\nYou have them already: '));
  });

  test('Console, guides: the secret of the signed endpoint is typed in, since a learner has no file with it', async () => {
    const page = await readFile(join(root, tutorial.file), 'utf8');
    assert.match(page, /^HMAC_SECRET=.*secrets\.json.*\)$/m);
    for (const reader of [{ origin }, { origin, client }]) {
      assert.doesNotMatch(adapted(page, reader), /secrets\.json/);
      assert.match(adapted(page, reader), /^HMAC_SECRET='…' +# printed when L-Plate starts; in a class, ask/m);
    }
  });

  test('Console, guides: whatever a pasted secret holds, the shell takes it as it is', () => {
    const page = '```sh\ncurl -s -X POST $BASE/demo-clients > credentials.json\n```';
    const [secret, written] = ["$& '; rm -rf / #", `"client_secret":"$& '\\''; rm -rf / #"}' > credentials`];
    const shown = (clientSecret: string) => adapted(page, { origin, client: { clientId: 'a', clientSecret } });
    assert.ok(shown(secret).includes(written));
    assert.ok(withSecret(shown(hiddenSecret), secret).includes(written));
  });

  test('Console, guides: the guides with credentials.json can be walked with one’s own client', async () => {
    for (const { name, file } of guides) {
      const text = await readFile(join(root, file), 'utf8');
      const made = /demo-clients .*credentials\.json/.test(text);
      assert.equal(takesClient(text), made, name);
    }
  });

  test('Console, guides: a heading is named in an address as on GitHub', () => {
    const taken = new Set<string>();
    for (const [text, expected] of [
      ['Retries, order, redelivery', 'retries-order-redelivery'],
      ['What `GET /me` says', 'what-get-me-says'],
      ['Über 5 %', 'über-5-'],
      ['Limits', 'limits'],
      ['Limits', 'limits-1'],
      ['Limits', 'limits-2'],
    ] as const)
      assert.equal(slug(text, taken), expected);
  });

  test('Console, guides: one goes to headings', () => {
    const texts = (markdown: string) => [...stopsOf(lexer(markdown)).values()].map(({ text, slug }) => [text, slug]);
    assert.deepEqual(texts('# Title\n\n**Bold.** No place.\n\n## A `b` &amp; c\n\n### D\n'), [
      ['A b & c', 'a-b--c'],
      ['D', 'd'],
    ]);
  });

  test('Console, guides: links between documents lead to guides; of another file its path is shown; nothing else is a link', () => {
    const served = (link: string, from: Guide) => servedMarkdown(`[text](${link})`, from);
    for (const [link, from, target] of [
      ['https://www.standardwebhooks.com', events, 'https://www.standardwebhooks.com'],
      ['#streams', events, '#/guides/events/streams'],
      ['lessons.md', events, '#/guides/lessons'],
      ['range.md#capstones', events, '#/guides/range/capstones'],
      ['../docs/events.md', tutorial, '#/guides/events'],
      ['../README.md', events, { file: 'README.md' }],
      ['../README.md#limits', events, { file: 'README.md' }],
      ['../examples/README.md', events, { file: 'examples/README.md' }],
      ['decisions/http.md', events, { file: 'docs/decisions/http.md' }],
      ['javascript:alert(1)', events, undefined],
      ['data:text/html,x', events, undefined],
      ['//evil.example/x', events, { file: 'x' }],
      ['/etc/passwd', events, { file: 'etc/passwd' }],
      ['https://[', events, undefined],
    ] as const) {
      const text = served(link, from);
      if (typeof target === 'object') assert.equal(text, `text (\`${target.file}\`)`);
      else assert.equal(targetOf(/\((.*)\)$/.exec(text)?.[1] ?? '', from), target, link);
    }
    for (const link of ['nope.md', '../README.md', '/guides/events.md', '//evil.example/x', '/etc/passwd'])
      assert.equal(targetOf(link, events), undefined, link);
    assert.equal(servedMarkdown('[`examples/a.ts`](../examples/a.ts)', events), '`examples/a.ts`');
    const code = '```js\na[b](c.md)\n```';
    assert.equal(servedMarkdown(code, events), code);
  });

  test('Console, guides: images are those of docs/images', () => {
    const image = (link: string, from: Guide) =>
      imageOf(/\((.*)\)$/.exec(servedMarkdown(`![text](${link})`, from))?.[1] ?? '');
    assert.equal(image('images/traffic.webp', events), '/guides/images/traffic.webp');
    assert.equal(image('../docs/images/traffic.webp', tutorial), '/guides/images/traffic.webp');
    for (const link of [
      '../package.json',
      'https://evil.example/docs/images/x.webp',
      'images/../../x.webp',
      'images/a/b.webp',
    ]) {
      assert.equal(image(link, events), undefined, link);
      assert.equal(imageOf(link), undefined, link);
    }
  });

  test('Console, guides: references to characters are read, unknown ones stay', () => {
    assert.equal(
      unescaped('&lt;b&gt; &amp;amp; &#8230; &quot; &nope; &#99999999; & &#1114112;'),
      '<b> &amp; … " &nope; &#99999999; & &#1114112;',
    );
  });

  test('Console, guides: every link of a guide to another one finds its heading', async () => {
    const stops = new Map(
      await Promise.all(
        guides.map(async ({ name, file }) => {
          const tokens = lexer(await readFile(join(root, file), 'utf8'));
          return [name, new Set([...stopsOf(tokens).values()].map(({ slug }) => slug))] as const;
        }),
      ),
    );
    for (const guide of guides) {
      const text = servedMarkdown(await readFile(join(root, guide.file), 'utf8'), guide);
      for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        const target = targetOf(link, guide) ?? imageOf(link);
        assert.ok(target, `${guide.name}: ${link}`);
        const [, name, heading] = /^#\/guides\/([^/]+)\/(.+)$/.exec(target) ?? [];
        if (name) assert.ok(stops.get(name)?.has(heading as string), `${guide.name}: ${link}`);
      }
    }
  });
});
