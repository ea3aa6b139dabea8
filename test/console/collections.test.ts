import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { brunoCollection } from '../../console/model/bruno.ts';
import { insomniaCollection } from '../../console/model/insomnia.ts';
import { postmanCollection } from '../../console/model/postman.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';

/*
 * The files for Postman, Insomnia and Bruno. Postman's and Bruno's run in their own programs (`test/clients`). Insomnia
 * has none that npm could bring, so here its file is followed as the documentation of its format and scripts has it.
 */

const inputs = { origin: 'http://localhost:8080', clientId: 'demo-1', clientSecret: 'secret-1' };
const files = { postman: postmanCollection, insomnia: insomniaCollection, bruno: brunoCollection };

interface Resource {
  readonly _id: string;
  readonly _type: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly data?: Record<string, string>;
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly name: string; readonly value: string }[];
  readonly body: { readonly text?: string };
  readonly authentication: { readonly type?: string; readonly token?: string };
  readonly preRequestScript: string;
  readonly afterResponseScript: string;
}

/** The scripts' `insomnia`, as far as ours use it. */
function sandbox(variables: Record<string, string>, headers: Headers, body: string, answer?: Response, text = '') {
  const results: [string, boolean][] = [];
  const scope = {
    get: (name: string) => variables[name],
    set: (name: string, value: string) => {
      variables[name] = value;
    },
  };
  const insomnia = {
    variables: scope,
    baseEnvironment: scope,
    request: {
      body: { raw: body },
      upsertHeader: ({ key, value }: { key: string; value: string }) => headers.set(key, value),
    },
    response: { code: answer?.status, json: () => JSON.parse(text) },
    expect: (value: unknown) => ({ to: { eql: (other: unknown) => assert.deepEqual(value, other) } }),
    test: (title: string, check: () => void) => {
      check();
      results.push([title, true]);
    },
  };
  const modules = (name: string) => {
    assert.equal(name, 'crypto-js');
    return { HmacSHA256: (signed: string, key: string) => createHmac('sha256', key).update(signed).digest('hex') };
  };
  return {
    results,
    run: (script: string) => new Function('insomnia', 'require', script)(insomnia, modules),
  };
}

describe('Console, start: the files for Postman, Insomnia and Bruno', () => {
  test('all is filled in but the key of signatures: each variable that is used has a value, or a script gives it one', () => {
    for (const [name, write] of Object.entries(files)) {
      const text = write(inputs);
      assert.ok(text.includes('http://localhost:8080/for/demo-1') && text.includes('secret-1'), name);
      const used = new Set([...text.matchAll(/\{\{ ?(?:_\.)?(\w+) ?\}\}/g)].map(([, variable]) => variable));
      assert.deepEqual(
        [...used].sort(),
        ['base', 'claim_id', 'client_id', 'client_secret', 'cursor', 'mine', 'plate', 'policy_id', 'token'],
        name,
      );
    }
  });

  test('Postman: the format is 2.1, and its first request keeps the token', () => {
    const { info, item, variable } = JSON.parse(postmanCollection(inputs));
    assert.match(info.schema, /v2\.1\.0/);
    assert.match(JSON.stringify(item[0].item[0].event), /collectionVariables\.set\('token'/);
    assert.deepEqual(variable.find(({ key }: { key: string }) => key === 'hmac_secret').value, '');
  });

  onSqlite((engine) => {
    let lplate: LPlate;
    before(async () => {
      lplate = await startLPlate(engine);
    });
    after(() => lplate.close());

    test('Insomnia: format 4; each resource has its parent; from top to bottom each request has the expected status', async () => {
      const { id: clientId, secret: clientSecret } = await lplate.client();
      const made = JSON.parse(insomniaCollection({ origin: lplate.url, clientId, clientSecret }));
      assert.deepEqual([made._type, made.__export_format], ['export', 4]);
      const resources = made.resources as Resource[];
      const ids = new Set<string | null>([null]);
      for (const { _id, parentId } of resources) {
        assert.ok(ids.has(parentId) && !ids.has(_id), _id);
        ids.add(_id);
      }
      const variables = { ...resources.find(({ _type }) => _type === 'environment')?.data };
      const filled = (text: string) => text.replace(/\{\{ _\.(\w+) \}\}/g, (_, name: string) => variables[name] ?? '');
      const requests = resources.filter(({ _type }) => _type === 'request');
      for (const each of requests) {
        const headers = new Headers(each.headers.map(({ name, value }) => [name, value]));
        if (each.authentication.type === 'bearer') {
          headers.set('Authorization', `Bearer ${filled(each.authentication.token ?? '')}`);
        }
        const before = sandbox(variables, headers, each.body.text ?? '');
        if (each.preRequestScript !== '') {
          assert.throws(() => before.run(each.preRequestScript), /hmac_secret/);
          variables.hmac_secret = testSecrets.hmacSecret;
          before.run(each.preRequestScript);
        }
        const { method } = each;
        const body = each.body.text === undefined ? null : filled(each.body.text);
        const answer = await fetch(filled(each.url), { method, headers, body });
        const text = await answer.text();
        const done = sandbox(variables, headers, '', answer, text);
        done.run(each.afterResponseScript);
        assert.equal(done.results.length, 1, `${each.name}: ${text}`);
      }
      assert.equal(requests.length, 15);
    });
  });
});
