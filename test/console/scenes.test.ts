import { equal, match, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Scene, scenes } from '../../console/pages/start/scenes.ts';
import { newRunner, report, start } from '../range/lessons/capstone.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';

const [signature, clock, score] = scenes as readonly [Scene, Scene, Scene];

/** What the scene says of a refusal is what the service says. */
function refused(answer: { status: number; json: { title: string; detail: string } }, scene: Scene): void {
  equal(String(answer.status), scene.status);
  equal(answer.json.title, scene.heading);
  ok(answer.json.detail.includes(scene.says), answer.json.detail);
}

function accepted(answer: { status: number; text: string }, { after }: Scene): void {
  equal(String(answer.status), after.status);
  ok(answer.text.includes(after.says), answer.text);
}

onSqlite((engine) => {
  describe('Console, first screen: what it shows of the service is what the service does', () => {
    test('a wrong signature, and the right one', async (t) => {
      const lplate = await startLPlate(t, engine);
      const { token } = await lplate.client();
      const [body = ''] = /(?<=-d ')[^']+/.exec(signature.call) ?? [];
      const signed = createHmac('sha256', lplate.config.hmacSecret ?? '')
        .update(body)
        .digest();
      const check = (value: string) =>
        lplate.call('POST', '/insurer/v1/signed/policy-check', {
          token,
          body,
          headers: { 'Content-Type': 'application/json', 'X-Signature': value },
        });
      refused(await check(signed.toString('base64')), signature);
      accepted(await check(signed.toString('hex')), signature);
    });

    test('a clock that is moved, and a token that expires by it', async (t) => {
      const lplate = await startLPlate(t, engine);
      const { id, secret, token } = await lplate.client();
      await lplate.call('POST', '/insurer/v1/policies', { token, json: { regNumber: 'SC-0001' } });
      const [json = ''] = /(?<=-d ')[^']+/.exec(clock.call) ?? [];
      equal((await lplate.call('POST', '/range/v1/me/clock', { token, json: JSON.parse(json) })).status, 200);
      refused(await lplate.call('GET', '/insurer/v1/policies', { token }), clock);
      const renewed = await lplate.token(id, secret);
      accepted(await lplate.call('GET', '/insurer/v1/policies', { token: renewed }), clock);
    });

    test('a capstone whose score names what was doubled', async (t) => {
      const lplate = await startLPlate(t, engine);
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'bad-line');
      const [doubled = ''] = /Branch \S+/.exec(score.heading) ?? [];
      const made = async (holder: string): Promise<string[]> => {
        const { json } = await runner.insist('GET', '/insurer/v1/policies?pageSize=500');
        if (!Array.isArray(json.items)) return made(holder);
        return json.items
          .filter((each: { holder: string }) => each.holder === holder)
          .map(({ id }: { id: string }) => id);
      };
      const policies: Record<string, string> = {};
      let plate = 0;
      for (const { holder, coverageOption } of given.orders) {
        const wanted = holder === doubled ? 2 : 1;
        while ((await made(holder)).length < wanted) {
          const json = { regNumber: `SC-${++plate}`, holder, coverageOption };
          await runner.send('POST', '/insurer/v1/policies', { json });
        }
        policies[holder] = (await made(holder))[0] as string;
      }
      const { run: result } = await report(runner, 'bad-line', { policies });
      match(score.title, new RegExp(`: ${result.score} of 100$`));
      equal(String(result.score), score.status);
      equal(result.faults.length, 1);
      const [fault] = result.faults;
      equal(`${fault.kind}: ${fault.subject}`, score.heading.toLowerCase().replace('branch', 'Branch'));
      equal(fault.detail, score.says);
      ok(fault.exchanges.length >= 2, 'the calls that made it twice');
    });
  });
});
