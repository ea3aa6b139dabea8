import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { onSqlite } from '../../support/engines.ts';
import { type CallOptions, problem, startLPlate, testSecrets } from '../../support/lplate.ts';
import { another, asking, mine, own } from '../../support/mutual-tls.ts';
import { type Learner, newLearner, newPlate, stateOf, testLessons } from './lesson.ts';

/** A token that was asked for with a certificate, or with none. */
async function token({ lplate, id, secret }: Learner, certificate: CallOptions['certificate'], scope?: string) {
  const json = { client_id: id, client_secret: secret, scope };
  return (await lplate.call('POST', '/auth/token', { json, certificate })).json.access_token as string;
}

const list = ({ lplate }: Learner, token: string, certificate?: CallOptions['certificate'], query = '') =>
  lplate.call('GET', `/policies${query}`, { token, certificate });

/** A token that was refused without its certificate. */
async function refused(learner: Learner, scope?: string): Promise<string> {
  const bound = await token(learner, mine, scope);
  deepEqual(problem(await list(learner, bound)), [401, 'invalid-token']);
  return bound;
}

testLessons(
  {
    'mutual-tls': {
      solve: async (learner) => list(learner, await refused(learner), mine),
      alsoSolvedBy: {
        'a thief with a certificate of their own': async (learner) => {
          const bound = await token(learner, mine);
          await list(learner, bound, another);
          await list(learner, bound, mine);
        },
        'a thief with a certificate that nobody signed, and another call': async (learner) => {
          const bound = await token(learner, mine);
          const create = (certificate: CallOptions['certificate']) =>
            learner.lplate.call('POST', '/policies', { token: bound, certificate, json: { regNumber: newPlate() } });
          await create(own);
          await create(mine);
        },
      },
      misses: {
        'a certificate': async (learner) => {
          await list(learner, await token(learner, undefined));
        },
        'a certificate that somebody signed': async (learner) => {
          await list(learner, await token(learner, own), own);
        },
        'the thief': async (learner) => {
          await list(learner, await token(learner, mine), mine);
        },
        'a call that looks at the token': async (learner) => {
          const bound = await token(learner, mine);
          await learner.lplate.call('GET', '/coverage-options', { token: bound });
        },
        'the bound token': async (learner) => {
          await token(learner, mine);
          await list(learner, learner.token);
        },
        'a right token': async (learner) => {
          await token(learner, mine);
          await list(learner, 'nonsense');
        },
        'the owner': async (learner) => {
          await refused(learner);
        },
        'the certificate of the token': async (learner) => {
          await list(learner, await refused(learner), another);
        },
        'the bound token, at last': async (learner) => {
          await refused(learner);
          await list(learner, learner.token, mine);
        },
        'the same token': async (learner) => {
          await refused(learner);
          await list(learner, await token(learner, another), another);
        },
        'the same call': async (learner) => {
          await list(learner, await refused(learner), mine, '?page=2');
        },
        'the scope': async (learner) => {
          const bound = await refused(learner, 'claims:read');
          deepEqual(problem(await list(learner, bound, mine)), [403, 'insufficient-scope']);
        },
        'a token of this attempt': async (learner) => {
          const bound = await token(learner, mine);
          learner.lplate.clock.advance(1);
          equal((await learner.call('DELETE', '/range/v1/me/lessons/mutual-tls')).status, 204);
          await list(learner, bound);
          await list(learner, bound, mine);
        },
      },
      remarks: {
        'a certificate': /^This token is bound to nothing/,
        'a certificate that somebody signed': /^This token is bound to nothing/,
        'the thief': /^This call was accepted, since it came with your certificate/,
        'a call that looks at the token': /^Nobody looks at the token of this call/,
        'the bound token': /^The token of this call is bound to nothing/,
        'the certificate of the token': /not there this time either/,
        'the bound token, at last': /^The token of this call is bound to nothing/,
        'the same token': /^This is another token than the one that was refused/,
        'the same call': /refused is GET \/insurer\/v1\/policies: make that one again/,
        'the scope': /^The certificate is the right one, but the token lacks the scope/,
        'a token of this attempt': /^This is the right refusal, but you got the token/,
      },
      done: {
        'the thief': 1,
        'a call that looks at the token': 1,
        'the bound token': 1,
        'a right token': 1,
        'the owner': 2,
        'the certificate of the token': 2,
        'the bound token, at last': 2,
        'the same token': 2,
        'the same call': 2,
        'the scope': 2,
      },
    },
  },
  asking,
);

onSqlite((engine) => {
  test('Lessons: what was solved with a certificate is kept where the service asks for none, and counts for nothing there', async (t) => {
    const first = await newLearner(await startLPlate(engine, asking));
    const bound = await refused(first);
    await list(first, bound, mine);
    equal((await stateOf(first, 'mutual-tls')).state, 'solved');
    const { dataDir } = first.lplate.config;
    const facts = async ({ lplate, token }: Learner) => {
      const { json } = await lplate.call('GET', '/range/v1/me/certificate', { token });
      const { lessons, of } = json.certificate;
      const board = await lplate.call('GET', '/range/v1/trainer/lessons', { token: testSecrets.trainerToken });
      return [of, lessons.length, board.json.items[0].solved];
    };
    const [of, certified, solved] = await facts(first);
    await first.lplate.close();

    const second = { ...first, lplate: await startLPlate(engine, { dataDir }) };
    const known = await facts(second);
    const answer = await list(second, bound);
    const log = await second.lplate.call('GET', '/range/v1/me/exchanges?pageSize=1', { token: second.token });
    const last = `/range/v1/me/exchanges/${log.json.items[0].id}`;
    const { json } = await second.lplate.call('GET', last, { token: second.token });
    await second.lplate.close();
    deepEqual(known, [of - 1, certified - 1, solved - 1]);
    deepEqual(problem(answer), [401, 'invalid-token']);
    deepEqual(json.tokens[0].claims.cnf, decodeJwt(bound).cnf, 'no secret');

    const third = { ...first, lplate: await startLPlate(t, engine, { ...asking, dataDir }) };
    equal((await stateOf(third, 'mutual-tls')).state, 'solved');
    deepEqual(await facts(third), [of, certified, solved]);
  });
});
