import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { SaxesParser } from 'saxes';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate, testSecrets } from '../support/lplate.ts';

/*
 * The kits whose tools no package brings: Insomnia, REST Client and SoapUI. Here their files are followed as the
 * documentation of their formats has it. The others run in their own programs (`test/foreign`).
 */

interface Resource {
  readonly _id: string;
  readonly _type: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly data?: Record<string, string>;
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly name: string; readonly value: string }[];
  readonly body: { readonly text?: string; readonly params?: { readonly name: string; readonly value: string }[] };
  readonly authentication: Record<string, unknown> & { readonly type?: string; readonly token?: string };
  readonly settingFollowRedirects?: 'off';
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
    response: {
      code: answer?.status,
      json: () => JSON.parse(text),
      text: () => text,
      headers: Array.from(answer?.headers ?? [], ([key, value]) => ({ key, value })),
    },
    expect: (value: unknown) => ({ to: { eql: (other: unknown) => assert.deepEqual(value, other) } }),
    test: (title: string, check: () => void) => {
      check();
      results.push([title, true]);
    },
  };
  const modules = (name: string) => {
    assert.equal(name, 'crypto-js');
    return {
      HmacSHA256: (signed: string, key: string) => createHmac('sha256', key).update(signed).digest('hex'),
      SHA256: (hashed: string) => ({ toString: () => createHash('sha256').update(hashed).digest('base64') }),
      enc: {},
      lib: { WordArray: { random: (bytes: number) => randomBytes(bytes).toString('hex') } },
    };
  };
  return {
    results,
    run: (script: string) => new Function('insomnia', 'require', script)(insomnia, modules),
  };
}

onSqlite((engine) => {
  describe('Kits: sent from top to bottom each request is answered as it says', () => {
    const lplate = sharedLPlate(engine);

    const kit = async (file: string) => (await fetch(`${lplate.url}/kits/${file}`)).text();

    test('Insomnia: format 4, and each resource has its parent', async () => {
      const made = JSON.parse(await kit('l-plate.insomnia.json'));
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
        // The tool signs a person in at the page that this opens, which must be one that asks them.
        if (each.authentication.type === 'oauth2') {
          const { grantType, usePkce, pkceMethod, clientId, redirectUrl, scope, state } = each.authentication;
          assert.deepEqual([grantType, usePkce, pkceMethod], ['authorization_code', true, 'S256']);
          const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUrl, scope, state };
          const pkce = { code_challenge: variables.challenge, code_challenge_method: pkceMethod };
          const url = new URL(filled(String(each.authentication.authorizationUrl)));
          for (const [name, value] of Object.entries({ ...query, ...pkce }))
            url.searchParams.set(name, filled(String(value)));
          assert.match(await (await fetch(url)).text(), /<h1>Sign in<\/h1>/);
          continue;
        }
        const headers = new Headers(each.headers.map(({ name, value }) => [name, value]));
        if (each.authentication.type === 'bearer') {
          headers.set('Authorization', `Bearer ${filled(each.authentication.token ?? '')}`);
        }
        const before = sandbox(variables, headers, each.body.text ?? '');
        if (each.preRequestScript.includes('hmac_secret')) {
          assert.throws(() => before.run(each.preRequestScript), /hmac_secret/);
          variables.hmac_secret = testSecrets.hmacSecret;
        }
        before.run(each.preRequestScript);
        const { method, settingFollowRedirects } = each;
        const form = each.body.params?.map(({ name, value }): [string, string] => [name, filled(value)]);
        const body = form ? new URLSearchParams(form) : each.body.text === undefined ? null : filled(each.body.text);
        const redirect = settingFollowRedirects === 'off' ? 'manual' : 'follow';
        const answer = await fetch(filled(each.url), { method, headers, body, redirect });
        const text = await answer.text();
        const done = sandbox(variables, headers, '', answer, text);
        done.run(each.afterResponseScript);
        assert.ok(done.results.length > 0, `${each.name}: ${text}`);
      }
      assert.equal(requests.length, 40);
    });

    test('REST Client: values come from the answers of named requests', async () => {
      const text = (await kit('l-plate.rest-client.http')).replaceAll('\r', '');
      const variables = new Map(
        [...text.matchAll(/^@(\w+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
      );
      const [, ...requests] = text.split(/^###/m);
      for (const request of requests) {
        const [title = '', ...lines] = request.split('\n');
        const [, id = ''] = /^# @name (\w+)$/m.exec(request) ?? [];
        // As the extension does: lines of comments are left out, then variables are replaced.
        const sent = lines
          .filter((line) => !/^\s*#/.test(line))
          .join('\n')
          .replace(/\{\{([^}]+)\}\}/g, (_, name: string) => {
            const value = variables.get(name);
            assert.ok(value, `${name} in${title}`);
            return value;
          });
        const [head = '', ...body] = sent.split('\n\n');
        const [line = '', ...headers] = head.trim().split('\n');
        const [method = '', url = ''] = line.split(' ');
        const pairs = headers.map((header) => header.split(': ') as [string, string]);
        const text = body.join('\n\n').trim();
        // The extension does so, too.
        const isForm = headers.some((header) => header.startsWith('Content-Type: multipart/'));
        const ended = isForm ? `${text}\n`.replaceAll('\n', '\r\n') : text;
        const answer = await fetch(url, { method, headers: pairs, body: ended || null });
        const told = await answer.text();
        assert.equal(`${answer.status}`, title.split(': ').at(-1), `${title} ${told}`);
        if (!told.startsWith('{')) continue;
        for (const [member, value] of Object.entries(JSON.parse(told)))
          variables.set(`${id}.response.body.$.${member}`, String(value));
      }
      assert.equal(requests.length, 27);
    });

    test('SoapUI: the project has the WSDL, and its test case is passed', async () => {
      const steps: Record<string, string>[] = [];
      let text = '';
      let wsdl = '';
      const parser = new SaxesParser();
      parser.on('opentag', ({ name, attributes }) => {
        if (name === 'con:testStep') steps.push({});
        const step = steps.at(-1);
        if (step && name === 'con:assertion') step[`${attributes.type}`] = '';
        text = '';
      });
      parser.on('text', (part) => (text += part));
      parser.on('cdata', (part) => (text += part));
      parser.on('closetag', ({ name }) => {
        if (name === 'con:content') wsdl = text;
        const step = steps.at(-1);
        if (step && /^(con:endpoint|token)$/.test(name)) step[name] = text;
        // The element with the text is inside one of the same name.
        if (step && name === 'con:request' && text.trim() !== '') step[name] = text;
        text = '';
      });
      parser.write(await kit('l-plate-soapui-project.xml')).close();
      assert.equal(wsdl, await (await fetch(`${lplate.url}/vehicle-registry/v1?wsdl`)).text());
      const faults = [];
      for (const step of steps) {
        const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
        const answer = await fetch(step['con:endpoint'] ?? '', {
          method: 'POST',
          headers,
          body: step['con:request'] ?? '',
        });
        const fault = (await answer.clone().text()).includes('<soap:Fault>');
        assert.ok((await answer.text()).includes(step.token ?? '?'), JSON.stringify(step));
        // By these names SoapUI means: no fault, and a fault.
        assert.ok((fault ? 'Not SOAP Fault Assertion' : 'SOAP Fault Assertion') in step, JSON.stringify(step));
        faults.push(fault);
      }
      assert.deepEqual(faults, [false, true]);
    });
  });
});
