import { equal } from 'node:assert/strict';
import { type Learner, stateOf, testLessons } from './lesson.ts';

const wait = ({ lplate }: Learner, seconds: number) => lplate.clock.advance(seconds * 1000);

const ping = ({ bare }: Learner) => bare('GET', '/insurer/v1/limited/ping');

async function pings(learner: Learner, times: number) {
  for (let call = 1; call < times; call += 1) equal((await ping(learner)).status, 200);
  return ping(learner);
}

/** Nobody has called the probe in the minute before. */
async function burst(learner: Learner, times: number) {
  wait(learner, 61);
  return pings(learner, times);
}

/** Is refused once and told to wait for a minute. */
async function refused(learner: Learner) {
  equal((await burst(learner, 6)).headers.get('retry-after'), '60');
}

const list = ({ call }: Learner) => call('GET', '/policies');

const drill = ({ call }: Learner, name: string, parameters: object) =>
  call('POST', '/range/v1/me/drills', { json: { name, parameters, minutes: 10 } });

const end = ({ call }: Learner, name: string) => call('DELETE', `/range/v1/me/drills/${name}`);

testLessons({
  'retry-after': {
    async solve(learner) {
      await refused(learner);
      // Who calls in a loop sees the first refusal a bit later.
      wait(learner, 4);
      await ping(learner);
      wait(learner, 56);
      return ping(learner);
    },
    alsoSolvedBy: {
      'the shortest way, a limit of one’s own': async (learner) => {
        await drill(learner, 'small-rate-limit', { limit: 1 });
        await list(learner);
        equal((await list(learner)).status, 429);
        wait(learner, 60);
        await list(learner);
        await end(learner, 'small-rate-limit');
      },
      'a timer that is early': async (learner) => {
        await refused(learner);
        // The limiter's clock is the timer's: it counts from the first of the calls.
        wait(learner, 59.95);
        learner.lplate.clock.elapse(50);
        await ping(learner);
      },
      'a person who types': async (learner) => {
        await refused(learner);
        wait(learner, 69);
        await ping(learner);
      },
    },
    misses: {
      'too early': async (learner) => {
        await refused(learner);
        wait(learner, 59);
        await ping(learner);
      },
      'too late': async (learner) => {
        await refused(learner);
        wait(learner, 71);
        await ping(learner);
      },
      'refused again and again': async (learner) => {
        await refused(learner);
        wait(learner, 20);
        await ping(learner);
        wait(learner, 40);
        await ping(learner);
      },
      'never refused': async (learner) => {
        await burst(learner, 5);
        wait(learner, 60);
        await ping(learner);
      },
      'refused by something else': async (learner) => {
        await drill(learner, 'unavailable', { retryAfter: 10 });
        equal((await list(learner)).status, 503);
        await end(learner, 'unavailable');
        wait(learner, 10);
        await list(learner);
      },
      'at once': async (learner) => {
        await refused(learner);
        wait(learner, 0.9);
        await ping(learner);
      },
      'after some seconds': async (learner) => {
        await refused(learner);
        wait(learner, 4);
        await ping(learner);
      },
      'long after': async (learner) => {
        await refused(learner);
        wait(learner, 301);
        await ping(learner);
      },
      'hardly anything was asked for': async (learner) => {
        await burst(learner, 5);
        wait(learner, 57);
        equal((await ping(learner)).headers.get('retry-after'), '3');
        wait(learner, 3);
        await ping(learner);
      },
      'hardly anything, and too early': async (learner) => {
        await burst(learner, 5);
        wait(learner, 57);
        await ping(learner);
        wait(learner, 2);
        await ping(learner);
      },
      'hardly anything, and too late': async (learner) => {
        await burst(learner, 5);
        wait(learner, 57);
        await ping(learner);
        wait(learner, 14);
        await ping(learner);
      },
      'hardly anything, and refused again': async (learner) => {
        await burst(learner, 5);
        wait(learner, 57);
        await ping(learner);
        wait(learner, 3);
        for (let call = 0; call < 5; call += 1) await learner.lplate.call('GET', '/limited/ping');
        equal((await ping(learner)).status, 429);
      },
      'others took the calls': async (learner) => {
        await refused(learner);
        wait(learner, 60);
        for (let call = 0; call < 5; call += 1) await learner.lplate.call('GET', '/limited/ping');
        equal((await ping(learner)).status, 429);
      },
      'another interface': async (learner) => {
        await refused(learner);
        wait(learner, 60);
        await list(learner);
      },
      'a loop under a higher limit': async (learner) => {
        await drill(learner, 'small-rate-limit', { limit: 10 });
        for (let call = 0; call < 12; call += 1) await list(learner);
        await end(learner, 'small-rate-limit');
      },
      'one call at the limit': (learner) => burst(learner, 5),
      'seven at once': async (learner) => {
        await burst(learner, 6);
        await ping(learner);
      },
      'eight at once': async (learner) => {
        await burst(learner, 6);
        for (let call = 0; call < 2; call += 1) await ping(learner);
        equal((await stateOf(learner, 'retry-after')).misses, 2);
      },
      'another limit': async (learner) => {
        await drill(learner, 'small-rate-limit', { limit: 1 });
        await list(learner);
        equal((await list(learner)).status, 429);
        await end(learner, 'small-rate-limit');
        wait(learner, 60);
        await list(learner);
      },
      'a high limit': async (learner) => {
        await drill(learner, 'small-rate-limit', { limit: 10 });
        for (let call = 0; call < 10; call += 1) await list(learner);
        equal((await list(learner)).headers.get('retry-after'), '60');
        wait(learner, 60);
        await list(learner);
        await end(learner, 'small-rate-limit');
      },
      'a high limit, and hardly anything was asked for': async (learner) => {
        await drill(learner, 'small-rate-limit', { limit: 10 });
        for (let call = 0; call < 10; call += 1) await list(learner);
        wait(learner, 57);
        equal((await list(learner)).headers.get('retry-after'), '3');
        wait(learner, 3);
        await list(learner);
        await end(learner, 'small-rate-limit');
      },
    },
    remarks: {
      'after some seconds': /^You waited 4 s, 60 were/,
      'hardly anything, and too early': /^You waited 2 s, 3 were/,
      'too early': /You waited 59 s, 60 were/,
      'hardly anything was asked for': /^Retry-After was only 3 s, which is too short for this lesson/,
      'long after': /^You waited 301 s, 60 were/,
      'too late': /You waited 71 s, 60 were asked for\. More than 10 s longer is too late\./,
      'refused again and again': /You were refused 2 times before/,
      'at once': /called again at once/,
      'seven at once': /called again at once/,
      'eight at once': /called again at once/,
      'others took the calls': /calls that don’t count as yours/,
      'another interface': /for another call\. Make the one that was refused: \/insurer\/v1\/limited\/ping/,
      'hardly anything, and too late': /The limit was reached before anybody looked at this/,
      'a loop under a higher limit': /The limit was reached before anybody looked at this/,
      'a high limit': /The limit was reached before anybody looked at this/,
      'a high limit, and hardly anything was asked for': /The limit was reached before anybody looked at this/,
    },
    done: {
      'after some seconds': 1,
      'at once': 1,
      'seven at once': 1,
      'eight at once': 1,
      'another interface': 1,
      'another limit': 1,
      'hardly anything, and refused again': 1,
    },
  },

  'paced-calls': {
    async solve(learner) {
      await burst(learner, 6);
      wait(learner, 60);
      await pings(learner, 5);
      wait(learner, 179);
      return pings(learner, 5);
    },
    alsoSolvedBy: {
      'the shortest way, a limit of one’s own': async (learner) => {
        await drill(learner, 'small-rate-limit', { limit: 5 });
        for (let call = 0; call < 5; call += 1) await list(learner);
        wait(learner, 60);
        for (let call = 0; call < 5; call += 1) equal((await list(learner)).status, 200);
      },
    },
    misses: {
      'nine calls': async (learner) => {
        await burst(learner, 5);
        wait(learner, 60);
        await pings(learner, 4);
      },
      'too slow': async (learner) => {
        await burst(learner, 5);
        wait(learner, 181);
        await pings(learner, 5);
      },
      'a refusal among them': async (learner) => {
        await burst(learner, 6);
        wait(learner, 60);
        await pings(learner, 5);
      },
      'a high limit': async (learner) => {
        for (let call = 0; call < 10; call += 1) await list(learner);
      },
      'two limits': async (learner) => {
        await burst(learner, 5);
        await drill(learner, 'small-rate-limit', { limit: 5 });
        for (let call = 0; call < 5; call += 1) await list(learner);
      },
      'refused as the tenth': async (learner) => {
        await burst(learner, 5);
        wait(learner, 60);
        await pings(learner, 4);
        await learner.lplate.call('GET', '/limited/ping');
        await ping(learner);
      },
      'eleven, slowly': async (learner) => {
        wait(learner, 40);
        for (let call = 0; call < 11; call += 1) {
          wait(learner, 21);
          equal((await ping(learner)).status, 200);
        }
        equal((await stateOf(learner, 'paced-calls')).lastWord.code, 'miss');
      },
      'a refusal after five': (learner) => burst(learner, 6),
      'another refusal after five': async (learner) => {
        await refused(learner);
        wait(learner, 60);
        equal((await pings(learner, 6)).status, 429);
      },
      'a refusal after six': async (learner) => {
        await burst(learner, 5);
        wait(learner, 60);
        await ping(learner);
        for (let call = 0; call < 4; call += 1) await learner.lplate.call('GET', '/limited/ping');
        equal((await ping(learner)).status, 429);
      },
      'a refusal after five, four seconds apart': async (learner) => {
        await burst(learner, 5);
        wait(learner, 4);
        equal((await ping(learner)).status, 429);
      },
      'a wait that was too short': async (learner) => {
        await burst(learner, 5);
        wait(learner, 5);
        equal((await ping(learner)).status, 429);
      },
      'a refusal before the first call': async (learner) => {
        wait(learner, 61);
        for (let call = 0; call < 5; call += 1) await learner.lplate.call('GET', '/limited/ping');
        equal((await ping(learner)).status, 429);
      },
      'eleven, one of them refused long before': async (learner) => {
        await burst(learner, 6);
        wait(learner, 181);
        await pings(learner, 5);
        wait(learner, 60);
        await pings(learner, 4);
      },
    },
    remarks: {
      'a refusal among them':
        /^A call was refused in between, so the count began again after it: this call is number 5\./,
      'a wait that was too short': /^The call after 5 in a row was refused/,
      'refused as the tenth': /The call after 9 in a row was refused/,
      'another refusal after five': /The call after 5 in a row was refused/,
      'a refusal after six': /The call after 6 in a row was refused\..* Begin again/,
      'eleven, slowly': /took too long: 9 of them/,
      'too slow': /took too long: 5 of them were within three minutes/,
      'a refusal after five': /The call after/,
      'a refusal after five, four seconds apart': /The call after/,
      'a refusal before the first call': /The limit was reached before anybody looked at this/,
    },
    done: {
      'nine calls': 1,
      'eleven, slowly': 1,
      'eleven, one of them refused long before': 1,
    },
  },
});
