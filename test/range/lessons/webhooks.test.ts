import { equal } from 'node:assert/strict';
import { after } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { delayedReply, isSigned, type ReceivedCall, Receiver, type Reply, until } from '../../support/receiver.ts';
import { claimOn, EventStream, insure, pass } from '../../support/topic.ts';
import { logOf } from '../range.ts';
import { answer, type Learner, stateOf, testLessons, wrongAnswer } from './lesson.ts';
import { move, newClaim } from './topic.ts';

const subscriptions = '/claims/v1/subscriptions';

/** A subscription of a learner, and the receiver that it calls. */
class Hook {
  readonly learner: Learner;
  readonly receiver: Receiver;
  readonly id: string;
  readonly secret: string;

  private constructor(learner: Learner, receiver: Receiver, { id, secret }: { id: string; secret: string }) {
    this.learner = learner;
    this.receiver = receiver;
    this.id = id;
    this.secret = secret;
  }

  /** `replies`: how the first calls are answered; all others with 204. */
  static async open(learner: Learner, ...replies: Reply[]): Promise<Hook> {
    const receiver = await Receiver.open({ after });
    receiver.answer = () => replies.shift() ?? 204;
    const { json } = await learner.call('POST', subscriptions, { json: { url: receiver.url } });
    return new Hook(learner, receiver, json);
  }

  /** Asks for a test event and waits until `calls` came of it. Returns the number of the delivery. */
  async test(calls = 1, headers = {}): Promise<number> {
    const before = await this.#count();
    const { json } = await this.learner.call('POST', `${subscriptions}/${this.id}/test`, { headers });
    await this.logged(before + calls);
    return json.number;
  }

  async redeliver(number: number): Promise<void> {
    const before = await this.#count();
    await this.learner.call('POST', `${subscriptions}/${this.id}/deliveries/${number}/redeliver`);
    await this.logged(before + 1);
  }

  /** A claim changes, and this is delivered, in so many calls. What failed before is not due again by then. */
  async claimEvent(calls = 1): Promise<void> {
    const { lplate, token } = this.learner;
    await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 4 });
    const before = await this.#count();
    await pass(lplate, 4);
    await this.logged(before + calls);
  }

  /** Lets L-Plate try again what has failed once. */
  async retry(): Promise<void> {
    const before = await this.#count();
    const { lplate, token } = this.learner;
    const path = `${subscriptions}/${this.id}/deliveries`;
    // The attempt is saved a moment after its answer.
    const read = () => lplate.call('GET', path, { token, headers: { 'L-Plate-Console': '' } });
    await until(async () => /"attempt":/.test((await read()).text), 'that it is saved');
    await pass(lplate, 5);
    await this.logged(before + 1);
  }

  /** A test event that the receiver answers so late. */
  async testAnsweredAfter(seconds: number, reply: Reply = 204): Promise<void> {
    const { lplate } = this.learner;
    const { receiver } = this;
    const before = receiver.answer;
    const [calls, late] = [receiver.calls.length, delayedReply()];
    receiver.answer = () => late.reply;
    const tested = this.test();
    await receiver.until(calls + 1);
    lplate.clock.advance(seconds * 1000);
    late.give(reply);
    await tested;
    receiver.answer = before;
  }

  /** As a receiver that verifies. */
  refuseForged(status = 401): void {
    this.receiver.answer = (call) => (this.#isGenuine(call) ? 204 : status);
  }

  #isGenuine(call: ReceivedCall): boolean {
    const age = this.learner.lplate.clock.now() / 1000 - Number(call.headers['webhook-timestamp']);
    return age < 300 && isSigned(call, this.secret);
  }

  /** Resolves when so many deliveries are in the log. */
  async logged(count: number): Promise<void> {
    await until(async () => (await this.#count()) >= count, `${count} deliveries in the log`);
  }

  async #count(): Promise<number> {
    return (await deliveriesOf(this.learner)).filter(({ delivery }) => delivery.subscriptionId === this.id).length;
  }
}

const deliveriesOf = (learner: Learner) => logOf(learner.lplate, learner, '?kind=delivery');

/** The same where an inbox takes the calls, and refuses the second one as a receiver that checks would. */
const inInbox =
  (parameters?: object) =>
  async (learner: Learner): Promise<void> => {
    learner.lplate.clock.advance(60_000);
    if (parameters) await drill(learner, 'forged-webhooks', parameters);
    const { json } = await learner.call('POST', subscriptions, { json: { via: 'inbox', answers: [204, 401] } });
    await learner.call('POST', `${subscriptions}/${json.id}/secret`);
    await learner.call('POST', `${subscriptions}/${json.id}/test`);
    await until(async () => (await deliveriesOf(learner)).length >= (parameters ? 2 : 1), 'the calls to the inbox');
  };

const anInbox = /^An inbox takes the calls of this subscription/;

/** What the test expects as the proof: the latest delivery. */
async function latest(learner: Learner) {
  const [{ id }] = await deliveriesOf(learner);
  return { headers: new Headers({ 'x-request-id': id }) };
}

async function drill({ call }: Learner, name: string, parameters = {}): Promise<void> {
  equal((await call('POST', '/range/v1/me/drills', { json: { name, parameters } })).status, 201);
}

/** A test event, and the forged call behind it, which is answered so. */
const forged = (parameters: object, reply: Reply) => async (learner: Learner) => {
  const hook = await Hook.open(learner, 204, reply);
  await drill(learner, 'forged-webhooks', parameters);
  await hook.test(2);
};

/** A delivery that failed. */
const refused = async (learner: Learner, reply: Reply = 503) => {
  const hook = await Hook.open(learner, reply);
  const number = await hook.test();
  return { hook, number };
};

/** A delivery that failed, of a subscription that had taken one. */
async function failedOnce(learner: Learner, status = 503) {
  const hook = await Hook.open(learner, 204, status);
  await hook.test();
  return { hook, number: await hook.test() };
}

async function renewSecret({ call }: Learner, { id }: Hook): Promise<void> {
  equal((await call('POST', `${subscriptions}/${id}/secret`)).status, 201);
}

/** One more test event behind a delivery that failed. */
const testBehind = ({ call }: Learner, { id }: { id: string }) => call('POST', `${subscriptions}/${id}/test`);

/** Test events that are all taken, with no drill. */
const withoutDrill = (lesson: string, events: number) => async (learner: Learner) => {
  const hook = await Hook.open(learner);
  for (let event = 0; event < events; event += 1) await hook.test();
  equal((await stateOf(learner, lesson)).misses, 1);
};

const heldBack = /^This test event waits behind one that your receiver did not take\./;
const noDrill = /^The receiver took two real calls in a row, and no forged one came between them\. Is the drill on\?$/;

/** One that was taken. */
const taken = async (learner: Learner) => refused(learner, 204);

/** Three test events, each of which comes twice. */
async function repeats(learner: Learner): Promise<Hook> {
  const hook = await Hook.open(learner);
  await drill(learner, 'repeat-webhooks');
  for (let event = 0; event < 3; event += 1) await hook.test(2);
  return hook;
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentId}-01`;

async function register({ lplate, token, call }: Learner, headers: Record<string, string>) {
  const policyNumber = await insure(lplate, token);
  return call('POST', '/claims/v1/claims', { json: { policyNumber, paceSeconds: 4 }, headers });
}

/** A claim with a trace changes once, and this is delivered. */
async function traced(learner: Learner, hook: Hook, headers: Record<string, string> = { traceparent }) {
  await register(learner, headers);
  const { length } = hook.receiver.calls;
  await pass(learner.lplate, 4);
  await hook.receiver.until(length + 1);
}

/** The parent id that the last call of a receiver had. */
const parentOf = ({ receiver }: Hook) => String(receiver.calls.at(-1)?.headers.traceparent).split('-')[2];

testLessons(
  {
    'webhook-called': {
      async solve(learner) {
        const { hook } = await refused(learner);
        await hook.retry();
        return latest(learner);
      },
      misses: {
        'a test event that waits for no other': async (learner) => testBehind(learner, (await refused(learner)).hook),
        'a server of one’s own': inInbox(),
        'that it is taken': refused,
        'a status of 2xx that is not more': (learner) => refused(learner, 300),
        'an answer': (learner) => refused(learner, 'reset'),
        'the test event': async (learner) => (await Hook.open(learner)).claimEvent(),
        'that the test event is what was taken': async (learner) => {
          const { hook } = await refused(learner);
          await hook.claimEvent();
        },
        'that it is asked for by the learner': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.test(1, { 'L-Plate-Console': '1' });
        },
        'a test: it was a redelivery': async (learner) => {
          const hook = await Hook.open(learner, 503);
          await hook.claimEvent();
          await hook.redeliver(1);
        },
        'a subscription': async ({ call }) => {
          await call('GET', subscriptions);
          equal((await call('POST', subscriptions, { json: {} })).status, 400);
        },
        'a server': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.receiver.close();
          await hook.test();
        },
        'a test event more than once': async (learner) => {
          const hook = await Hook.open(learner);
          for (let event = 0; event < 2; event += 1) await hook.claimEvent();
          equal((await stateOf(learner, 'webhook-called')).misses, 1);
        },
        'the call to subscribe': async (learner) => {
          await learner.call('POST', '/claims/v1/webhooks', { json: { url: 'http://localhost:9000' } });
        },
        'the method to subscribe': async (learner) => {
          await learner.call('PUT', subscriptions, { json: { url: 'http://localhost:9000' } });
        },
        'the method of the test': async (learner) => {
          const hook = await Hook.open(learner);
          await learner.call('GET', `${subscriptions}/${hook.id}/test`);
        },
        'the call of the test': async (learner) => {
          const hook = await Hook.open(learner);
          await learner.call('POST', `${subscriptions}/${hook.id}/tests`);
        },
        'an address that may be called': async (learner) => {
          await learner.call('POST', subscriptions, { json: { url: 'http://10.0.0.1/' } });
        },
        'a subscription to test': async (learner) => {
          await testBehind(learner, { id: 'sub-1' });
        },
      },
      remarks: {
        'a test event that waits for no other': heldBack,
        'a server': /^L-Plate called your address with the test event, and it refused the connection\./,
        'that it is taken': /and it answered 503\. Let a server take it there with 2xx\.$/,
        'a status of 2xx that is not more': /and it answered 300\./,
        'an answer': /and it closed the connection\./,
        'that the test event is what was taken': /and it answered 503\./,
        'a server of one’s own': anInbox,
        'the test event': /^Your server took an event, but no call of yours asked for it\./,
        'a test event more than once': /^Your server took an event, but no call of yours asked for it\./,
        'that it is asked for by the learner': /^Your server took an event, but no call of yours asked for it\./,
        'the call to subscribe': /^That is not the call to subscribe\./,
        'the method to subscribe': /^That is not the call to subscribe\./,
        'the method of the test': /^That is not the call to ask for a test event\./,
        'the call of the test': /^That is not the call to ask for a test event\./,
        'a subscription': /^This made no subscription: the answer says why\./,
        'an address that may be called': /^This made no subscription/,
        'a subscription to test': /^You have no subscription with this id\./,
      },
      done: {
        'a server of one’s own': 1,
        'the method of the test': 1,
        'the call of the test': 1,
        'a test event that waits for no other': 2,
        'a server': 2,
        'that it is taken': 2,
        'a status of 2xx that is not more': 2,
        'an answer': 2,
        'that the test event is what was taken': 2,
        'the test event': 1,
        'a test event more than once': 1,
        'that it is asked for by the learner': 1,
        'a test: it was a redelivery': 1,
      },
    },

    'webhook-verified': {
      async solve(learner) {
        const hook = await Hook.open(learner);
        hook.refuseForged();
        await drill(learner, 'forged-webhooks', { how: 'changed-body' });
        await hook.test(2);
        return latest(learner);
      },
      misses: {
        'a call that waits for no other': async (learner) => testBehind(learner, (await refused(learner, 401)).hook),
        'the drill, which is meant': withoutDrill('webhook-verified', 3),
        'a server of one’s own': inInbox({}),
        'what is forged': async (learner) => (await refused(learner, 401)).hook.retry(),
        'a real call that is taken': (learner) => refused(learner, 403),
        'a real call that is asked for in vain': (learner) => refused(learner, 404),
        'a repeat that is taken': async (learner) => {
          const hook = await Hook.open(learner, 204, 401);
          await drill(learner, 'repeat-webhooks');
          await hook.test(2);
        },
        'the drill': async (learner) => {
          const hook = await Hook.open(learner, 401);
          await hook.redeliver(await hook.test());
        },
        'any try': async (learner) => {
          const { hook } = await taken(learner);
          await hook.test();
        },
        'a real call that can be judged': async (learner) => {
          const hook = await Hook.open(learner, 401, 500);
          await hook.redeliver(await hook.test());
        },
        'the signature: it was old': forged({ how: 'old-timestamp' }, 401),
        'a status of 4xx that is not less': forged({}, 301),
        'a status of 4xx that is not more': forged({}, 500),
        'an answer': forged({}, 'reset'),
        'a refusal': forged({}, 204),
        'a real call that is taken, which is meant': async (learner) => {
          const hook = await Hook.open(learner, 404, 404, 500);
          const number = await hook.test();
          for (let times = 0; times < 2; times += 1) await hook.redeliver(number);
          equal((await stateOf(learner, 'webhook-verified')).misses, 2);
        },
        'a real call that is followed': (learner) => refused(learner, 302),
        'an answer to the real call': (learner) => refused(learner, 'reset'),
      },
      remarks: {
        'a real call that is taken, which is meant': /^The receiver did not take the real call: it answered 500\./,
        'a call that waits for no other': heldBack,
        'the drill, which is meant': noDrill,
        'a server of one’s own': anInbox,
        'a refusal': /The receiver took the forged call with 204: it did not check the signature\./,
        'the signature: it was old': /^The signature of this forged call is right: only its time is too old/,
        'a status of 4xx that is not less': /^The receiver did not take the forged call, .*: it answered 301\./,
        'a status of 4xx that is not more': /^The receiver did not take the forged call, .*: it answered 500\./,
        'an answer': /^The receiver did not take the forged call, .*: it closed the connection\./,
        'what is forged': /^The receiver took the real call\. If no forged one follows, start the drill\./,
        'the drill': /^The receiver took the real call\. If no forged one follows, start the drill\./,
        'a real call that can be judged': /^The receiver did not take the real call: it answered 500\./,
        'a real call that is taken':
          /^The receiver refused the real call with 403, though it is signed with the secret of this sub/,
        'a real call that is asked for in vain': /^The receiver did not take the real call: it answered 404\./,
        'a real call that is followed': /^The receiver did not take the real call: it answered 302\./,
        'an answer to the real call': /^The receiver did not take the real call: it closed the connection\./,
        'any try': /The receiver took two real calls in a row,/,
      },
    },

    'webhook-old': {
      async solve(learner) {
        const hook = await Hook.open(learner);
        hook.refuseForged(400);
        await drill(learner, 'forged-webhooks', { how: 'old-timestamp' });
        await hook.test(2);
        return latest(learner);
      },
      misses: {
        'the drill, which is meant': withoutDrill('webhook-old', 3),
        'a server of one’s own': inInbox({ how: 'old-timestamp' }),
        'the age': forged({ how: 'wrong-secret' }, 401),
        'the age again': async (learner) => {
          const hook = await Hook.open(learner);
          hook.refuseForged();
          await drill(learner, 'forged-webhooks');
          for (let event = 0; event < 2; event += 1) await hook.test(2);
        },
        'a real call that is taken': async (learner) => {
          const hook = await Hook.open(learner);
          hook.refuseForged();
          await drill(learner, 'forged-webhooks');
          await hook.test(2);
          hook.receiver.answer = () => 401;
          await hook.test();
        },
        'the drill': async (learner) => {
          const hook = await Hook.open(learner);
          hook.refuseForged();
          await drill(learner, 'forged-webhooks');
          await hook.test(2);
          await learner.call('DELETE', '/range/v1/me/drills/forged-webhooks');
          hook.receiver.answer = () => 401;
          const number = await hook.test();
          hook.receiver.answer = () => 204;
          await hook.redeliver(number);
        },
        'any try': async (learner) => {
          const hook = await Hook.open(learner);
          hook.refuseForged();
          await drill(learner, 'forged-webhooks');
          await hook.test(2);
          await learner.call('DELETE', '/range/v1/me/drills/forged-webhooks');
          for (let event = 0; event < 2; event += 1) await hook.test();
        },
        'a check of anything': (learner) => refused(learner, 401),
        'an answer': forged({ how: 'old-timestamp' }, 'reset'),
        'a refusal': forged({ how: 'old-timestamp' }, 200),
      },
      remarks: {
        'the drill, which is meant': noDrill,
        'a server of one’s own': anInbox,
        'the age again': /^This forged call is not too old: its signature is wrong/,
        'a real call that is taken': /^The receiver refused the real call with 401, though it is new/,
        'the drill': /^The receiver took the real call\. If no forged one follows, start the drill\./,
        'an answer': /^The receiver did not take the forged call, .*: it closed the connection\./,
        'a refusal': /The receiver took the forged call with 200: it did not check the timestamp\./,
        'a check of anything': /^The receiver refused the real call with 401, though it is new\./,
        'the age': /This forged call is not too old/,
        'any try': /The receiver took two real calls in a row,/,
      },
    },

    'webhook-two-signatures': {
      async solve(learner) {
        const hook = await Hook.open(learner);
        // It has the old secret still.
        hook.receiver.answer = ({ headers, body }) => {
          const at = new Date(Number(headers['webhook-timestamp']) * 1000);
          const own = new Webhook(hook.secret).sign(headers['webhook-id'] ?? '', at, body);
          return headers['webhook-signature']?.split(' ').includes(own) ? 204 : 401;
        };
        await renewSecret(learner, hook);
        await hook.test();
        return latest(learner);
      },
      alsoSolvedBy: {
        'another new secret, after a refusal': async (learner) => {
          const hook = await Hook.open(learner, 401);
          await renewSecret(learner, hook);
          await hook.test();
          await renewSecret(learner, hook);
          await hook.retry();
        },
      },
      misses: {
        'a call that waits for no other': async (learner) => {
          const hook = await Hook.open(learner, 500);
          await renewSecret(learner, hook);
          await hook.test();
          await testBehind(learner, hook);
        },
        'a server of one’s own': inInbox(),
        'a secret that holds': async (learner) => {
          const hook = await Hook.open(learner, 204, 401);
          await renewSecret(learner, hook);
          await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'P1D' } });
          learner.token = await learner.lplate.token(learner.id, learner.secret);
          await hook.test();
          await renewSecret(learner, hook);
          await hook.test();
        },
        'the newest secret after 24 hours': async (learner) => {
          const hook = await Hook.open(learner, 401);
          await renewSecret(learner, hook);
          await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'P1D' } });
          learner.token = await learner.lplate.token(learner.id, learner.secret);
          await hook.test();
        },
        'a new secret of the subscription: it was the client’s own': async (learner) => {
          equal((await learner.call('POST', '/range/v1/me/secret')).status, 201);
          await taken(learner);
        },
        'a subscription that is there': async (learner) => {
          const hook = await Hook.open(learner);
          await learner.call('DELETE', `${subscriptions}/${hook.id}`);
          equal((await learner.call('POST', `${subscriptions}/${hook.id}/secret`)).status, 404);
        },
        'a receiver that looks at both': async (learner) => {
          const hook = await Hook.open(learner, 204, 401);
          await hook.test();
          await renewSecret(learner, hook);
          await hook.test();
        },
        'a call that is taken': async (learner) => {
          const hook = await Hook.open(learner, 500);
          await renewSecret(learner, hook);
          await hook.test();
        },
        'the subscription: it was made anew': async (learner) => {
          const hook = await Hook.open(learner);
          await learner.call('DELETE', `${subscriptions}/${hook.id}`);
          await learner.call('POST', subscriptions, { json: { url: hook.receiver.url } });
        },
        'a call between two new secrets': async (learner) => {
          const hook = await Hook.open(learner);
          await renewSecret(learner, hook);
          await renewSecret(learner, hook);
        },
        'a call at all': async (learner) => renewSecret(learner, await Hook.open(learner)),
        'a new secret': async (learner) => {
          await taken(learner);
        },
        'a new secret of this subscription': async (learner) => {
          const [hook, other] = [await Hook.open(learner), await Hook.open(learner)];
          await renewSecret(learner, hook);
          await other.test();
        },
        'the 24 hours': async (learner) => {
          const hook = await Hook.open(learner);
          await renewSecret(learner, hook);
          await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'P1D' } });
          learner.token = await learner.lplate.token(learner.id, learner.secret);
          await hook.test();
        },
        'that no call is refused': async (learner) => {
          const hook = await Hook.open(learner, 401);
          await renewSecret(learner, hook);
          await hook.test();
          await hook.retry();
          await hook.test();
          equal((await stateOf(learner, 'webhook-two-signatures')).misses, 2);
        },
        'the method': async (learner) => {
          const hook = await Hook.open(learner);
          await learner.call('PUT', `${subscriptions}/${hook.id}/secret`);
        },
        'the call': async (learner) => {
          const hook = await Hook.open(learner);
          await learner.call('POST', `${subscriptions}/${hook.id}/rotate-secret`);
        },
      },
      remarks: {
        'a call that waits for no other': heldBack,
        'a server of one’s own': anInbox,
        'a secret that holds':
          /^The receiver refused with 401 a call that is signed with the two newest secrets\. Does it/,
        'the newest secret after 24 hours': /are over\. Does your receiver have the newest secret\?$/,
        'a new secret of the subscription: it was the client’s own':
          /^This call was of a subscription that got no new secret/,
        'a subscription that is there': /^You have no subscription with this id\./,
        'a receiver that looks at both':
          /^The receiver refused with 401 a call that is signed with the two newest secrets\./,
        'a call that is taken': /^The call has two signatures, but the receiver did not take it: it answered 500\./,
        'the subscription: it was made anew': /^This is a new subscription in place of one that was deleted/,
        'a call between two new secrets': /^You got another new secret, and no call came between the two\./,
        'a new secret of this subscription': /^This call was of a subscription that got no new secret/,
        'the 24 hours': /^This call has one signature: the 24 hours in which both secrets sign are over\./,
        'that no call is refused': /^The receiver took this call, but refused one after the new secret\. Begin again/,
        'the method': /^That is not the call to get a new secret\./,
        'the call': /^That is not the call to get a new secret\./,
        'a new secret': /This call was of a subscription that got no/,
      },
      done: {
        'a call that waits for no other': 1,
        'a server of one’s own': 1,
        'a secret that holds': 1,
        'the newest secret after 24 hours': 1,
        'a receiver that looks at both': 1,
        'a call that is taken': 1,
        'a call between two new secrets': 1,
        'a call at all': 1,
        'a new secret of this subscription': 1,
        'the 24 hours': 1,
      },
    },

    'webhook-retried': {
      async solve(learner) {
        const { hook } = await refused(learner);
        await hook.retry();
        return latest(learner);
      },
      misses: {
        'that its subscription stays, which is meant': async (learner) => {
          const { hook } = await refused(learner, 401);
          equal((await learner.call('DELETE', `${subscriptions}/${hook.id}`)).status, 204);
        },
        'that its subscription stays: another one was tested': async (learner) => {
          const { hook } = await failedOnce(learner);
          equal((await learner.call('DELETE', `${subscriptions}/${hook.id}`)).status, 204);
          await taken(learner);
        },
        'that it comes by itself': async (learner) => {
          const { hook, number } = await failedOnce(learner);
          await hook.redeliver(number);
        },
        'that it comes by itself, after it was enabled': async (learner) => {
          const { hook } = await refused(learner, 410);
          await learner.call('POST', `${subscriptions}/${hook.id}/enable`);
          await hook.logged(2);
        },
        'that it is waited for': async (learner) => {
          const { hook } = await failedOnce(learner);
          for (let event = 0; event < 2; event += 1) {
            await learner.call('POST', `${subscriptions}/${hook.id}/test`);
          }
          equal((await stateOf(learner, 'webhook-retried')).misses, 2);
        },
        'that it is waited for, by a receiver that worked before': async (learner) => {
          const { hook } = await refused(learner);
          await learner.call('POST', `${subscriptions}/${hook.id}/test`);
        },
        'that its subscription stays': async (learner) => {
          const { hook } = await failedOnce(learner);
          equal((await learner.call('DELETE', `${subscriptions}/${hook.id}`)).status, 204);
        },
        'that its subscription stays: it was another one': async (learner) => {
          const { hook: other } = await refused(learner);
          await failedOnce(learner);
          equal((await learner.call('DELETE', `${subscriptions}/${other.id}`)).status, 204);
        },
        'that it is taken by itself': async (learner) => {
          const { hook } = await failedOnce(learner);
          hook.receiver.answer = () => 503;
          await hook.retry();
        },
        'that the failed one is taken': async (learner) => (await failedOnce(learner)).hook.claimEvent(),
        'a failure that is meant': async (learner) => {
          const { hook, number } = await failedOnce(learner, 401);
          await hook.redeliver(number);
        },
        'a receiver that worked before': async (learner) => {
          const { hook, number } = await refused(learner);
          await hook.redeliver(number);
        },
        'a failure that is open': async (learner) => {
          const { hook, number } = await failedOnce(learner);
          await hook.redeliver(number);
          await hook.claimEvent();
          equal((await stateOf(learner, 'webhook-retried')).misses, 1);
        },
        'a failure': taken,
        'that it is taken then': async (learner) => {
          const hook = await Hook.open(learner, 503, 503);
          await hook.test();
          await hook.retry();
        },
        'a failure: it is a second copy': async (learner) => {
          const hook = await Hook.open(learner);
          await drill(learner, 'duplicate-events', { times: 2 });
          await hook.claimEvent(2);
        },
        'the event that had failed': async (learner) => (await refused(learner)).hook.claimEvent(),
        'the subscription where it had failed': async (learner) => {
          const other = await Hook.open(learner, 503);
          await (await Hook.open(learner)).claimEvent();
          await other.logged(1);
        },
        'a failure: a repeat was refused': async (learner) => {
          const hook = await Hook.open(learner, 204, 409);
          await drill(learner, 'repeat-webhooks', { times: 3 });
          await hook.test(3);
        },
      },
      remarks: {
        'that its subscription stays, which is meant': /^You deleted the subscription whose delivery failed\./,
        'that its subscription stays: another one was tested': /^You deleted the subscription whose delivery failed\./,
        'that it comes by itself': /You asked for the delivery again\. In this lesson it has to come by itself\./,
        'that it comes by itself, after it was enabled': /^You enabled the subscription yourself/,
        'that it is waited for': /^You asked for a new event\. The one that failed comes again by itself/,
        'that its subscription stays': /^You deleted the subscription whose delivery failed\. Begin again/,
        'that it is taken by itself': /^L-Plate tried again, and the receiver did not take it: it answered 503\./,
        'that the failed one is taken': /^The receiver took another event\. The one that failed comes again later/,
        'a failure that is open': /You asked for the delivery again/,
        'that it is waited for, by a receiver that worked before': /You asked for a new event\. The one that/,
        'a failure that is meant': /You asked for the delivery again\. In this lesson/,
        'a receiver that worked before': /You asked for the delivery again\. In this lesson/,
        'that it is taken then': /L-Plate tried again, and the receiver did not take/,
        'the event that had failed': /The receiver took another event\. The one that failed/,
      },
      done: {
        'that it comes by itself': 1,
        'that it comes by itself, after it was enabled': 1,
        'that it is waited for': 1,
        'that it is waited for, by a receiver that worked before': 1,
        'that its subscription stays: it was another one': 1,
        'that it is taken by itself': 1,
        'that the failed one is taken': 1,
        'a failure that is meant': 1,
        'a receiver that worked before': 1,
        'a failure that is open': 1,
        'that it is taken then': 1,
        'the event that had failed': 1,
        'the subscription where it had failed': 1,
      },
    },

    'webhook-in-time': {
      async solve(learner) {
        const hook = await Hook.open(learner);
        await hook.testAnsweredAfter(5);
        await hook.test();
        return latest(learner);
      },
      misses: {
        'a server of one’s own': inInbox(),
        'an answer before the call ends': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.test();
          await hook.testAnsweredAfter(16, 'reset');
          await hook.retry();
        },
        'a call that waits for no other': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.testAnsweredAfter(6);
          hook.receiver.answer = () => 503;
          await hook.test();
          await testBehind(learner, hook);
        },
        'one that is late': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.testAnsweredAfter(4.9);
          await hook.test();
        },
        'that it is as late as it has to be': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.testAnsweredAfter(1.9);
        },
        'that the next is taken': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.testAnsweredAfter(6);
          hook.receiver.answer = () => 503;
          await hook.test();
        },
        'the subscription that was late': async (learner) => {
          await (await Hook.open(learner)).testAnsweredAfter(6);
          await taken(learner);
        },
        'a delivery: a stream was long, and a call quick': async (learner) => {
          const { lplate, token, call } = learner;
          const stream = await EventStream.open(lplate.url, token);
          lplate.clock.advance(6000);
          stream.close();
          await until(async () => {
            const [each] = await logOf(lplate, learner, '?kind=stream');
            return each.durationMs >= 6000;
          }, 'that the stream is over');
          await call('GET', '/policies');
        },
        'a next one in time': async (learner) => {
          const hook = await Hook.open(learner);
          for (const seconds of [6, 1, 2, 6, 5]) await hook.testAnsweredAfter(seconds);
          equal((await stateOf(learner, 'webhook-in-time')).misses, 4);
        },
        'that the late one is taken': async (learner) => {
          const hook = await Hook.open(learner);
          hook.receiver.answer = () => 503;
          await hook.testAnsweredAfter(6, 503);
          await hook.retry();
        },
        'another one': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.testAnsweredAfter(6);
          await hook.redeliver(1);
        },
      },
      remarks: {
        'a server of one’s own': anInbox,
        'an answer before the call ends': /^The receiver closed the connection\. Let it answer after 6 s\.$/,
        'a call that waits for no other': heldBack,
        'that the next is taken': /^The receiver did not take this one: it answered 503\./,
        'one that is late': /^The receiver took 4\.9 s, which is not late yet\. Let it answer after 6 s\./,
        'a next one in time': /The receiver took 5\.0 s this time, and less than 1 s is asked for\./,
        'another one': /^Your receiver was late with this delivery before\./,
        'that the late one is taken': /The receiver did not take this one/,
      },
      done: {
        'another one': 1,
        'a call that waits for no other': 1,
        'that the next is taken': 1,
        'the subscription that was late': 1,
        'a next one in time': 1,
        'that the late one is taken': 1,
      },
    },

    'webhook-redelivered': {
      async solve(learner) {
        const { hook, number } = await taken(learner);
        await hook.redeliver(number);
        return latest(learner);
      },
      alsoSolvedBy: {
        'one that it took before the lesson began again': async (learner) => {
          const { hook, number } = await taken(learner);
          learner.lplate.clock.advance(1);
          equal((await learner.call('DELETE', '/range/v1/me/lessons/webhook-redelivered')).status, 204);
          await hook.redeliver(number);
        },
      },
      misses: {
        'the same event, which is meant': withoutDrill('webhook-redelivered', 2),
        'one that was taken, which is meant': async (learner) => {
          const { hook, number } = await refused(learner);
          await hook.redeliver(number);
        },
        'that its receiver had answered': async (learner) => {
          const hook = await Hook.open(learner);
          hook.receiver.answer = () => delayedReply().reply;
          const { json } = await learner.call('POST', `${subscriptions}/${hook.id}/test`);
          await hook.receiver.until(1);
          await learner.call('POST', `${subscriptions}/${hook.id}/deliveries/${json.number}/redeliver`);
        },
        'the number in the address': async (learner) => {
          const { hook } = await taken(learner);
          await learner.call('POST', `${subscriptions}/${hook.id}/redeliver`);
        },
        'that it is asked for': async (learner) => (await refused(learner)).hook.retry(),
        'that it was taken before': async (learner) => {
          const { hook, number } = await refused(learner);
          hook.receiver.answer = () => 204;
          await hook.redeliver(number);
        },
        'that it is taken': async (learner) => {
          const hook = await Hook.open(learner, 204, 503);
          await hook.redeliver(await hook.test());
        },
        'the event that was asked for': async (learner) => {
          const hook = await Hook.open(learner, 204, 503);
          await hook.redeliver(await hook.test());
          await hook.claimEvent();
        },
        'the subscription that it was asked for': async (learner) => {
          const other = await Hook.open(learner, 503);
          const hook = await Hook.open(learner);
          await hook.claimEvent();
          hook.receiver.answer = () => 503;
          await hook.redeliver(1);
          await other.retry();
        },
        'an answer': async (learner) => {
          const hook = await Hook.open(learner, 204, 'reset');
          await hook.redeliver(await hook.test());
        },
        'one that was taken': async (learner) => {
          const { hook } = await failedOnce(learner);
          await hook.retry();
          hook.receiver.answer = () => 503;
          const number = await hook.test();
          hook.receiver.answer = () => 204;
          await hook.redeliver(number);
        },
        'the right address': async (learner) => {
          const { hook, number } = await taken(learner);
          await learner.call('POST', `${subscriptions}/${hook.id}/deliveries/${number}/resend`);
        },
        'the right method': async (learner) => {
          const { hook, number } = await taken(learner);
          await learner.call('POST', `${subscriptions}/${hook.id}/deliveries/${number}`);
        },
        'the same event': async (learner) => {
          const { hook } = await taken(learner);
          await hook.test();
          await learner.call('POST', `${subscriptions}/${hook.id}/deliveries/9/redeliver`);
          await hook.test();
        },
        'a delivery that is there': async (learner) => {
          const { hook } = await taken(learner);
          equal((await learner.call('POST', `${subscriptions}/${hook.id}/deliveries/9/redeliver`)).status, 404);
        },
        'a subscription that is there': async (learner) => {
          await taken(learner);
          await learner.call('POST', `${subscriptions}/sub-1/deliveries/1/redeliver`);
        },
      },
      remarks: {
        'that its receiver had answered': /^You asked for a delivery that your receiver had not taken yet/,
        'the same event, which is meant': /^You asked for a new event\. Find one that your receiver took/,
        'one that was taken, which is meant': /^You asked for a delivery that your receiver had not taken yet/,
        'the number in the address': /^That is not the call to have a delivery sent again/,
        'a delivery that is there': /^There is no such delivery\. Each subscription lists its own/,
        'that it is taken':
          /^The receiver did not take the delivery that you asked for: it answered 503\. Let it answer with/,
        'the event that was asked for': /it answered 503/,
        'the subscription that it was asked for': /it answered 503/,
        'an answer': /that you asked for: it closed the connection\./,
        'one that was taken': /^You asked for a delivery that your receiver had not taken yet/,
        'the same event': /^You asked for a new event\. Find one that your receiver took/,
        'the right address': /^That is not the call to have a delivery sent again/,
        'the right method': /^That is not the call to have a delivery sent again/,
        'a subscription that is there': /^You have no subscription with this id\./,
        'that it was taken before': /You asked for a delivery that your receiver had/,
      },
      done: {
        'that it is taken': 1,
        'the event that was asked for': 1,
        'the subscription that it was asked for': 1,
        'an answer': 1,
      },
    },

    'webhook-repeats': {
      async solve(learner) {
        const hook = await repeats(learner);
        await learner.call('DELETE', '/range/v1/me/drills/repeat-webhooks');
        await drill(learner, 'forged-webhooks');
        await hook.test(2);
        // What another subscription takes, and what nobody takes, is not counted.
        await taken(learner);
        hook.receiver.answer = () => 503;
        await hook.test();
        await wrongAnswer(learner, 'webhook-repeats', 3, /^Nothing came again at your newest subscription/);
        equal((await answer(learner, 'webhook-repeats', 4)).correct, true);
      },
      alsoSolvedBy: {
        'the shortest way, events of one claim': async (learner) => {
          const hook = await Hook.open(learner);
          await drill(learner, 'repeat-webhooks');
          await newClaim(learner);
          for (const events of [1, 2, 3]) {
            await move(learner, 1);
            await hook.receiver.until(2 * events);
          }
          await answer(learner, 'webhook-repeats', 3);
        },
      },
      misses: {
        'the drill, which is meant': withoutDrill('webhook-repeats', 4),
        repeats: async (learner) => {
          const hook = await Hook.open(learner);
          for (let event = 0; event < 3; event += 1) await hook.test();
          await wrongAnswer(learner, 'webhook-repeats', 3, /No delivery came again yet/);
        },
        'that they are taken': async (learner) => {
          const hook = await repeats(learner);
          hook.receiver.answer = () => (hook.receiver.calls.length === 7 ? 204 : 409);
          await hook.test(2);
          await wrongAnswer(learner, 'webhook-repeats', 4, /did not take the repeat with 2xx/);
        },
        'a repeat of the newest': async (learner) => {
          const hook = await Hook.open(learner);
          await drill(learner, 'repeat-webhooks');
          for (let event = 0; event < 2; event += 1) await hook.test(2);
          await learner.call('DELETE', '/range/v1/me/drills/repeat-webhooks');
          await learner.call('DELETE', `${subscriptions}/${hook.id}`);
          const newest = await Hook.open(learner);
          for (let event = 0; event < 3; event += 1) await newest.test();
          await wrongAnswer(learner, 'webhook-repeats', 3, /^Nothing came again at your newest subscription/);
        },
        'a third event': async (learner) => {
          const hook = await Hook.open(learner);
          await drill(learner, 'repeat-webhooks');
          for (let event = 0; event < 2; event += 1) await hook.test(2);
          await wrongAnswer(learner, 'webhook-repeats', 2, /fewer than 3 different events/);
        },
        'that each is counted once': async (learner) => {
          await repeats(learner);
          await wrongAnswer(learner, 'webhook-repeats', 6, /how many calls came/);
          await wrongAnswer(learner, 'webhook-repeats', null, /is not the number\. Count the different webhook-ids/);
        },
        'any repeat that is taken': async (learner) => {
          const hook = await Hook.open(learner, 204, 409);
          await drill(learner, 'repeat-webhooks');
          await hook.test(2);
        },
        'an answer to any repeat': async (learner) => {
          const hook = await Hook.open(learner, 204, 'reset');
          await drill(learner, 'repeat-webhooks');
          await hook.test(2);
        },
      },
      remarks: {
        'the drill, which is meant': /^Your subscription took 3 events or more, and none of them came again so far\./,
        'any repeat that is taken': /^The event came again, and the receiver did not take it: it answered 409\./,
        'an answer to any repeat':
          /^The event came again, and the receiver did not take it: it closed the connection\./,
        repeats: /Your subscription took/,
      },
      done: {
        'that they are taken': 2,
        'a repeat of the newest': 1,
        'a third event': 1,
        'that each is counted once': 2,
      },
    },

    'webhook-traced': {
      solve: async (learner) => {
        const hook = await Hook.open(learner);
        await traced(learner, hook);
        await answer(learner, 'webhook-traced', parentOf(hook));
      },
      misses: {
        'a trace that is well-formed each time': async (learner) => {
          await register(learner, { traceparent });
          await pass(learner.lplate, 4 * 5);
          await traced(learner, await Hook.open(learner), { traceparent: traceId });
        },
        'a malformed traceparent': async (learner) => {
          await traced(learner, await Hook.open(learner), { traceparent: traceId });
        },
        'a traceparent that is well-formed, once begun': async (learner) => {
          await register(learner, { traceparent });
          await register(learner, { traceparent: traceId });
        },
        'the trace on another call': async (learner) => {
          const hook = await Hook.open(learner);
          await hook.test(1, { traceparent });
        },
        'a call whose trace goes on': async (learner) => {
          await learner.call('GET', subscriptions, { headers: { traceparent } });
        },
        'no receiver': async (learner) => {
          await register(learner, { traceparent });
          await wrongAnswer(
            learner,
            'webhook-traced',
            '0123456789abcdef',
            /No webhook of a claim with your trace has been taken/,
          );
        },
        'a receiver that refuses': async (learner) => traced(learner, await Hook.open(learner, 500)),
        'the parent id that was sent': async (learner) => {
          const hook = await Hook.open(learner);
          await traced(learner, hook);
          await wrongAnswer(learner, 'webhook-traced', parentId, /the parent id that you sent/);
          await wrongAnswer(learner, 'webhook-traced', traceId, /^This is the trace id, which all calls/);
          await wrongAnswer(learner, 'webhook-traced', traceparent, /the parent id that you sent/);
          const received = hook.receiver.calls.at(-1)?.headers.traceparent;
          await wrongAnswer(learner, 'webhook-traced', received, /^This has the right parent id, but is more/);
          await wrongAnswer(learner, 'webhook-traced', 'f'.repeat(16), /Search the log by the trace id/);
          await wrongAnswer(learner, 'webhook-traced', 1, /as a text/);
        },
        'no claim': async (learner) => {
          await wrongAnswer(learner, 'webhook-traced', parentId, /Begin with that/);
        },
        'the trace of a claim: it is one of a test event, too': async (learner) => {
          await register(learner, { traceparent });
          await pass(learner.lplate, 4 * 5);
          const hook = await Hook.open(learner);
          await hook.test(1, { traceparent });
          await wrongAnswer(
            learner,
            'webhook-traced',
            parentOf(hook),
            /^No webhook of a claim with your trace has been/,
          );
        },
        'a call that was taken': async (learner) => {
          const hook = await Hook.open(learner, 500);
          await traced(learner, hook);
          const failed = parentOf(hook);
          await hook.retry();
          await wrongAnswer(
            learner,
            'webhook-traced',
            failed,
            /^This is the parent id of a call that your receiver did/,
          );
          await hook.test(1, { traceparent });
          await wrongAnswer(
            learner,
            'webhook-traced',
            parentOf(hook),
            /^No webhook of a claim with your trace has this/,
          );
        },
        'the header': async (learner) => {
          await traced(learner, await Hook.open(learner), { 'trace-parent': traceparent });
        },
      },
      remarks: {
        'a trace that is well-formed each time': /^This webhook has no trace: its call had no traceparent, or a malf/,
        'a traceparent that is well-formed, once begun': /^This traceparent is malformed/,
        'a malformed traceparent': /This traceparent is malformed/,
        'a call whose trace goes on': /^This call has a trace, but no webhook gets it\./,
        'the trace on another call': /^The webhook of this trace is a test event\./,
        'a receiver that refuses': /your receiver did not take it: it answered 500/,
        'the trace of a claim: it is one of a test event, too':
          /^This webhook has your trace, but it is a test event\./,
        'the header': /^This claim was registered without the header traceparent/,
      },
      done: {
        'the trace of a claim: it is one of a test event, too': 1,
        'a call that was taken': 2,
        'a trace that is well-formed each time': 1,
        'a traceparent that is well-formed, once begun': 1,
        'no receiver': 1,
        'a receiver that refuses': 1,
        'the parent id that was sent': 2,
      },
    },
  },
  { eventsDuplicateRate: 0 },
);
