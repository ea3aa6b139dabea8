import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { ProblemIdentifier } from '../../src/http/problems/problem.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type LPlate, problem, sharedLPlate } from '../support/lplate.ts';
import { problems } from '../support/problems.ts';
import { addresses } from './addresses.ts';
import { documents } from './documents.ts';
import { drills } from './drills.ts';
import { erasures } from './erasures.ts';
import { events } from './events.ts';
import { imports } from './imports.ts';
import { json } from './json.ts';
import { limits } from './limits.ts';
import type { Learner, Mistake } from './mistake.ts';
import { names } from './names.ts';
import { range } from './range.ts';
import { repeats } from './repeats.ts';
import { signedRequests } from './signed.ts';
import { soapCalls } from './soap.ts';
import { statements } from './statements.ts';
import { tokens } from './tokens.ts';
import { values } from './values.ts';

const mistakes: readonly Mistake[] = [
  [
    names,
    json,
    values,
    imports,
    statements,
    erasures,
    addresses,
    tokens,
    signedRequests,
    soapCalls,
    events,
    repeats,
    range,
    drills,
    documents,
  ].flat(),
  // Last: they use up limits, and let days pass.
  limits,
].flat();

/** Problems that no mistake shows, and why. */
const notShown: Partial<Record<ProblemIdentifier, string>> = {
  'request-timeout': 'it takes half a minute; problem-pages.test.ts waits for it',
  'internal-error': 'no request causes it',
  'request-in-progress': 'it takes two requests within milliseconds; idempotency.test.ts sends them',
  unavailable: 'it is no mistake: a part of the service is away, or a drill says so',
};

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  let learner: Learner;
  const met = new Set<string>();

  before(async () => {
    const { id, secret, token } = await lplate.client();
    const created = await lplate.call('POST', '/policies', { token, json: { regNumber: 'LEARN-1', holder: 'Ada' } });
    const call: LPlate['call'] = (method, path, options = {}) => lplate.call(method, path, { token, ...options });
    learner = { lplate, id, secret, token, policyId: created.json.id, call };
  });

  for (const { title, send, status, says } of mistakes) {
    test(`Errors, 1: it says how to repair: ${title}`, async () => {
      const answer = await send(learner);
      const shown = textOf(answer);
      if (answer.json?.type) met.add(problem(answer)[1] as string);
      assert.equal(answer.status, status, shown);
      for (const sentence of says) {
        const found = typeof sentence === 'string' ? shown.includes(sentence) : sentence.test(shown);
        assert.ok(found, `${sentence} is not in\n${shown}`);
      }
      for (const secret of [learner.secret, learner.token]) assert.ok(!shown.includes(secret), 'a secret comes back');
    });
  }

  test('Errors, 1: each problem is met by a mistake of the list', () => {
    assert.deepEqual([...met, ...Object.keys(notShown)].sort(), Object.keys(problems).sort());
  });
});

/** What of an answer a person reads: headers, and the body with its texts as they are meant. */
function textOf({ headers, text, json: body }: Answer): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const details = (body?.errors ?? []).map((error: object) => Object.values(error).join(': '));
  return [...lines, body?.detail ?? '', ...details, text].join('\n');
}
