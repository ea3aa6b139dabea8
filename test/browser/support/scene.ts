import assert from 'node:assert/strict';
import type { Engine } from '../../support/engines.ts';
import { type LPlate, sign, startLPlate, type TestClient, testSecrets } from '../../support/lplate.ts';
import { Receiver } from '../../support/receiver.ts';
import { claimOn, insure, pass } from '../../support/topic.ts';

/** A class at work, with one learner who has something on every page. */
export interface Scene {
  readonly learner: TestClient;
  readonly policy: string;
  readonly claim: string;
  /** An exchange that was refused. */
  readonly refusal: string;
  /** One like it that was not. */
  readonly creation: string;
  readonly subscription: string;
  readonly statement: string;
  readonly erasure: string;
}

const classmates = ['Ben', 'Chidi & Dana', 'Team Blue', 'Eszter', 'Farid', 'Grace', 'Haruto'];

export async function makeScene(t: { after(end: () => void): void }, lplate: LPlate): Promise<Scene> {
  const learner = await lplate.client();
  const { id, token } = learner;
  const call = async (
    method: string,
    path: string,
    status: number,
    options: { json?: unknown; body?: string; headers?: Record<string, string> } = {},
  ) => {
    const answer = await lplate.call(method, path, { token, ...options });
    assert.equal(answer.status, status, answer.text);
    return answer;
  };
  await call('PATCH', '/range/v1/me', 200, { json: { nickname: 'Ada' } });
  const policies = [];
  for (const regNumber of ['AD-1001', 'AD-1002', 'AD-1003', 'AD-1004'])
    policies.push(await insure(lplate, token, regNumber));
  const [policy = '', second = '', third = ''] = policies;
  await call('PUT', `/policies/${second}`, 200, { json: { holder: 'Ada Example' } });
  await call('POST', `/policies/${third}/cancel`, 200);
  await call('PUT', `/policies/${policy}`, 200, { json: { holder: 'Grace Example & Sons' } });
  const { json: refused } = await call('POST', '/policies', 409, { json: { regNumber: 'AD-1001' } });
  await lplate.call('GET', `/for/${id}/insurer/v1/policies`);
  await call('GET', '/policies/pol-none?sort=asc', 404);
  await lplate.call('POST', `/for/${id}/insurer/v1/signed/policy-check`, {
    body: '{"regNumber": "AD-1001"}',
    headers: { 'Content-Type': 'application/json', 'X-Signature': sign('{"regNumber":"AD-1001"}') },
  });
  await fetch(`${lplate.url}/for/${id}/vehicle-registry/v1`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/xml' },
    body: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><FindVehicle xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>${'W'.repeat(100)}</RegNumber></FindVehicle></soap:Body></soap:Envelope>`,
  });
  await call('POST', '/range/v1/me/lessons/token-decoded/hints', 200);

  const month = { month: '2026-03', format: 'csv' };
  const { json: statement } = await call('POST', '/statements', 202, { json: month });
  const { json: erasure } = await call('POST', '/erasures', 202, { json: { holder: 'Bea Example' } });

  const receiver = await Receiver.open(t);
  receiver.answer = () => (receiver.calls.length % 3 === 1 ? 503 : 204);
  const { json: subscription } = await call('POST', '/claims/v1/subscriptions', 201, { json: { url: receiver.url } });
  const claim = await claimOn(lplate, token, policy);
  const form = new FormData();
  form.set('file', new Blob(['%PDF-1.7\n']), 'report.pdf');
  const headers = { Authorization: `Bearer ${token}` };
  const sent = { method: 'POST', headers, body: form };
  assert.equal((await fetch(`${lplate.url}/claims/v1/claims/${claim}/documents`, sent)).status, 201);
  const slow = await claimOn(lplate, token, second, { outcome: 'REJECTED', paceSeconds: 3600 });
  assert.notEqual(slow, claim);
  for (let step = 0; step < 4; step += 1) await pass(lplate, 10);

  for (const [number, nickname] of classmates.entries()) {
    const mate = await lplate.client();
    await lplate.call('PATCH', '/range/v1/me', { token: mate.token, json: { nickname } });
    for (let made = 0; made <= number % 4; made += 1) await insure(lplate, mate.token);
    if (number % 2 === 0) await lplate.call('GET', '/policies/pol-none', { token: mate.token });
  }
  const trainer = { token: testSecrets.trainerToken };
  await lplate.call('PUT', '/range/v1/trainer/announcement', { ...trainer, json: { text: 'Lunch is at 12:30.' } });
  await call('POST', '/range/v1/me/clock', 200, { json: { advance: 'PT2H' } });
  learner.token = await lplate.token(id, learner.secret);
  await lplate.call('POST', '/range/v1/me/drills', { token: learner.token, json: { name: 'repeat-webhooks' } });
  const created = await lplate.call('GET', '/range/v1/me/exchanges?status=201&path=/insurer/v1/policies', learner);
  return {
    ...{ learner, policy, claim, subscription: subscription.id, statement: statement.id, erasure: erasure.id },
    ...{ refusal: refused.instance.replace('urn:uuid:', ''), creation: created.json.items.at(-1).id },
  };
}

/** How somebody comes to a page. */
export interface ShownPage {
  /** That of its pictures. */
  readonly name: string;
  readonly path: string;
  readonly as: 'nobody' | 'learner' | 'trainer';
  /** `https`: at a service with a class authority. */
  readonly at: 'http' | 'https';
  /** Whether two pictures of it are enough: one wide and light, one narrow and dark. */
  readonly few: boolean;
}

/** A service that has what is only there with a class authority: to be closed. */
export function startWithAuthority(engine: Engine): Promise<LPlate> {
  return startLPlate(engine, { tls: 'self', publicUrl: 'https://class.example:8443' });
}

/** Every page of the console, and those that the service makes. `nobody`: as a first visit finds it. */
export function pagesOf(scene: Scene): readonly ShownPage[] {
  const { learner, policy, claim, refusal, creation, subscription, statement, erasure } = scene;
  const of =
    (as: ShownPage['as'], { at = 'http', few = false }: Partial<ShownPage> = {}) =>
    (...paths: [string, string][]): ShownPage[] =>
      paths.map(([name, path]) => ({ name, path, as, at, few }));
  const console = (paths: [string, string][]) => paths.map(([name, path]): [string, string] => [name, `/#${path}`]);
  return [
    ...of('nobody')(
      ...console([
        ['first-visit', '/'],
        ['lessons-without-client', '/lessons'],
        ['trainer-without-token', '/trainer'],
        ['verify', '/verify'],
      ]),
      ['problems', '/problems'],
      ['problem', '/problems/duplicate-policy'],
      ['soap', '/vehicle-registry/v1'],
      ['reference', '/docs'],
      ['kits', '/kits'],
    ),
    ...of('learner')(
      ...console([
        ['start', '/'],
        ['lessons', '/lessons'],
        ['lesson', '/lessons/credentials'],
        ['capstones', '/lessons/capstones'],
        ['capstone', '/lessons/capstones/night-shift'],
        ['certificate', '/lessons/certificate'],
        ['month-later', '/lessons/month-later'],
        ['own-insurer', '/lessons/own-insurer'],
        ['traffic', '/traffic'],
        ['send', '/send?method=POST&path=/insurer/v1/policies'],
        ['exchange', `/traffic/${refusal}`],
        ['policies', '/policies'],
        ['policy', `/policies/${policy}`],
        ['claims', '/claims'],
        ['claim', `/claims/${claim}`],
        ['events', '/events'],
        ['webhooks', '/webhooks'],
        ['people', '/people'],
        ['time', '/time'],
        ['workbench', '/workbench'],
        ['guides', '/guides'],
        ['guide', '/guides/events'],
        ['style', '/style'],
      ]),
    ),
    ...of('learner', { few: true })(
      ...console([
        ['comparison', `/traffic/${creation}/compare/${refusal}`],
        ['subscription', `/webhooks/${subscription}`],
        ['statement', `/policies/statements/${statement}`],
        ['erasure', `/policies/erasures/${erasure}`],
        ['flow', '/people/flow'],
        ['workbench-signature', '/workbench/signature'],
        ['workbench-soap', '/workbench/soap'],
        ['workbench-cursor', '/workbench/cursor'],
        ['workbench-webhook', '/workbench/webhook'],
      ]),
    ),
    ...of('trainer')(
      ...console([
        ['trainer', '/trainer'],
        ['trainer-lessons', '/trainer/lessons'],
        ['trainer-controls', '/trainer/controls'],
        ['trainer-join', '/trainer/join'],
      ]),
    ),
    ...of('trainer', { few: true })(
      ...console([
        ['trainer-path', '/trainer/path'],
        ['trainer-learner', `/trainer/learners/${learner.id}`],
        ['trainer-certificates', '/trainer/certificates'],
        ['trainer-codes', '/trainer/codes'],
        ['wall', '/trainer/class?wall'],
        ['wall-join', '/trainer/join?wall'],
      ]),
    ),
    ...of('trainer', { few: true, at: 'https' })(...console([['trainer-join-https', '/trainer/join']])),
    ...of('nobody', { few: true, at: 'https' })(['authority', '/ca']),
  ];
}
