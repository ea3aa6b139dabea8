import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Config, readConfig } from '../../../src/settings/config.ts';
import { hour } from '../../../src/time/units.ts';
import { TestClock } from '../../support/clock.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../../support/lplate.ts';
import { networksOf } from '../../support/networks.ts';
import { newPlate } from '../lessons/lesson.ts';
import { listed, trainerToken } from '../range.ts';

const list = '/insurer/v1/policies';
const trainersList = '/range/v1/trainer/learners';

/** A learner over a week: what it has in its hands, and what it has solved by then. */
interface Pupil {
  readonly name: string;
  readonly id: string;
  secret: string;
  token: string;
  policy: string;
  readonly plate: string;
  has: Having;
}

/** What nobody may lose: the lessons that were solved, and policies, by their vehicles. */
interface Having {
  readonly solved: readonly string[];
  readonly vehicles: readonly string[];
}

/** A course on one database and one clock, whatever becomes of the program. */
class Course {
  lplate: LPlate;
  readonly #clock: TestClock;
  readonly #open: () => Promise<LPlate>;

  private constructor(lplate: LPlate, clock: TestClock, open: () => Promise<LPlate>) {
    this.lplate = lplate;
    this.#clock = clock;
    this.#open = open;
  }

  static async begin(open: (clock: TestClock) => Promise<LPlate>): Promise<Course> {
    const clock = new TestClock('2026-03-02T09:00:00.000Z');
    return new Course(await open(clock), clock, () => open(clock));
  }

  /** Lets hours pass while the program runs. */
  async pass(hours: number): Promise<void> {
    for (let passed = 0; passed < hours; passed += 1) {
      this.#clock.advance(hour);
      await this.lplate.housekeeping();
    }
  }

  /** Lets hours pass while the laptop is closed. */
  async sleep(hours: number): Promise<void> {
    await this.lplate.close();
    this.#clock.advance(hours * hour);
    this.lplate = await this.#open();
  }

  async join(name: string): Promise<Pupil> {
    const { id, secret, token } = await this.lplate.client();
    const pupil = { name, id, secret, token, policy: '', plate: newPlate(), has: { solved: [], vehicles: [] } };
    await this.call(pupil, 'PATCH', '/range/v1/me', { json: { nickname: name } });
    return pupil;
  }

  /** In the morning: tokens of the day before have expired. */
  async comeIn(pupil: Pupil): Promise<void> {
    pupil.token = await this.lplate.token(pupil.id, pupil.secret);
  }

  /** Goes on with a code of the trainer, as somebody who has lost the secret, or whose browser knows nothing here. */
  async transfer(pupil: Pupil): Promise<void> {
    const { json: made } = await this.byTrainer('POST', `${trainersList}/${pupil.id}/transfer`);
    const { json } = await this.lplate.call('POST', '/range/v1/transfers', { json: { code: made.code } });
    equal(json.client_id, pupil.id);
    pupil.secret = json.client_secret;
    await this.comeIn(pupil);
  }

  call({ token }: Pupil, method: string, path: string, options: Parameters<LPlate['call']>[2] = {}) {
    return this.lplate.call(method, path, { token, ...options });
  }

  byTrainer(method: string, path: string) {
    return this.lplate.call(method, path, { token: trainerToken });
  }

  async look({ token }: Pupil): Promise<Having> {
    const lessons = await listed(this.lplate, '/range/v1/me/lessons', token);
    const policies = await listed(this.lplate, list, token);
    return {
      solved: lessons.filter(({ state }) => state === 'solved').map(({ id }) => id),
      vehicles: policies.map(({ regNumber }) => regNumber),
    };
  }

  /** Each learner has what it had, and nothing of another's; the trainer sees the same. */
  async check(pupils: readonly Pupil[]): Promise<void> {
    const standings = await listed(this.lplate, '/range/v1/trainer/lessons', trainerToken);
    for (const pupil of pupils) {
      const { name, id, plate, has } = pupil;
      deepEqual(await this.look(pupil), has, name);
      ok(
        has.vehicles.every((each) => each === plate),
        name,
      );
      const seen = standings.find(({ clientId }) => clientId === id);
      deepEqual([seen?.nickname, seen?.solved], [name, has.solved.length]);
      const log = (await this.call(pupil, 'GET', '/range/v1/me/exchanges?pageSize=300')).text;
      for (const other of pupils) ok(other === pupil || !log.includes(other.id), `${name} sees ${other.name}`);
    }
  }
}

type Work = (course: Course, pupil: Pupil) => Promise<unknown>;

/** What is done each day, and the lessons that it solves. */
const days: readonly { readonly solves: readonly string[]; readonly work: readonly Work[] }[] = [
  {
    solves: ['credentials', 'token-by-json', 'create-policy', 'read-policy'],
    work: [
      async (course, pupil) => {
        const json = { regNumber: pupil.plate, holder: pupil.name };
        pupil.policy = (await course.call(pupil, 'POST', list, { json })).json.id;
      },
      (course, pupil) => course.call(pupil, 'GET', `${list}/${pupil.policy}`),
    ],
  },
  {
    solves: ['duplicate-policy', 'unknown-policy'],
    work: [
      (course, pupil) => course.call(pupil, 'POST', list, { json: { regNumber: pupil.plate } }),
      (course, pupil) => course.call(pupil, 'GET', `${list}/pol-1`),
    ],
  },
  {
    solves: ['update-policy'],
    work: [
      (course, pupil) =>
        course.call(pupil, 'PUT', `${list}/${pupil.policy}`, { json: { holder: `${pupil.name} Example` } }),
      (course, pupil) => course.call(pupil, 'GET', `${list}/${pupil.policy}`),
    ],
  },
  {
    solves: ['coverage-options', 'no-header'],
    work: [
      ({ lplate }, { id }) => lplate.call('GET', `/for/${id}/insurer/v1/coverage-options`),
      ({ lplate }, { id }) => lplate.call('GET', `/for/${id}${list}`),
    ],
  },
  {
    solves: ['cancel-twice'],
    work: [
      (course, pupil) => course.call(pupil, 'POST', `${list}/${pupil.policy}/cancel`),
      (course, pupil) => course.call(pupil, 'POST', `${list}/${pupil.policy}/cancel`),
    ],
  },
];

/** A day in the classroom: all do the same, one call after the other. */
async function lesson(course: Course, pupils: readonly Pupil[], day: number): Promise<void> {
  const { solves, work } = days[day] as (typeof days)[number];
  for (const each of work) for (const pupil of pupils) await each(course, pupil);
  for (const pupil of pupils) {
    pupil.has = await course.look(pupil);
    deepEqual(
      solves.filter((id) => !pupil.has.solved.includes(id)),
      [],
      `${pupil.name} on day ${day + 1}`,
    );
  }
}

/** From the end of a day to the next morning. */
const night = 16;

forEachEngineInFull((engine) => {
  test('Decisions, classes: in a course of a week nobody loses a lesson, and nobody sees another’s', async (t) => {
    const come = networksOf(t);
    come('10.11.12.13');
    const location = await engine.location({ migrated: true });
    const config = readConfig(['--class'], {}) as Config;
    const { class: on, host, keepClientsDays, rateLimitKey, webhookAllow, webhookAllowFollows } = config;
    const settings = { class: on, host, keepClientsDays, rateLimitKey, webhookAllow, webhookAllowFollows } as const;
    const course = await Course.begin((clock) =>
      startLPlate({ ...engine, location: async () => location }, settings, clock),
    );
    t.after(() => course.lplate.close());
    const all: Pupil[] = [];
    for (let number = 1; number <= 20; number += 1) all.push(await course.join(`Learner ${number}`));
    const [forgetful, careless, leaver, sick, ...others] = all as [Pupil, Pupil, Pupil, Pupil, ...Pupil[]];
    const morning = async (pupils: readonly Pupil[]) => {
      for (const pupil of pupils) await course.comeIn(pupil);
      await course.check(pupils);
    };

    await lesson(course, all, 0);
    await course.pass(8 + night);

    // Tuesday: two have lost their secrets.
    const lost = [forgetful.secret, careless.secret];
    await course.transfer(forgetful);
    await course.transfer(careless);
    for (const [at, pupil] of [forgetful, careless].entries()) {
      const json = { client_id: pupil.id, client_secret: lost[at] };
      deepEqual(problem(await course.lplate.call('POST', '/auth/token', { json })), [401, 'invalid-client']);
      // That was a lesson.
      pupil.has = await course.look(pupil);
    }
    await morning(all);
    await lesson(course, all, 1);
    await course.pass(8);
    await course.sleep(night);

    // Wednesday: the program was started again over night. One is ill from now on, and one leaves.
    const here = [forgetful, careless, ...others];
    await morning([...here, leaver]);
    equal((await course.call(leaver, 'DELETE', '/range/v1/me')).status, 204);
    const [learners, board] = [`${trainersList}?pageSize=500`, '/range/v1/trainer/lessons?pageSize=500'];
    for (const path of [learners, board, '/range/v1/trainer/export?content=exchanges']) {
      const { text } = await course.byTrainer('GET', path);
      ok(!text.includes(leaver.id) && !text.includes(`"${leaver.name}"`), path);
      ok(text.includes(sick.id), path);
    }
    await lesson(course, here, 2);
    await course.pass(8 + night);

    // Thursday: the laptop has another address, at which no browser knows its client.
    come('192.168.7.8');
    const { json: info } = await course.byTrainer('GET', '/range/v1/trainer/class');
    deepEqual(info.addresses, [`http://192.168.7.8:${course.lplate.config.port}`]);
    for (const pupil of here) await course.transfer(pupil);
    await course.check(here);
    await lesson(course, here, 3);
    await course.pass(8 + night);

    await morning(here);
    await lesson(course, here, 4);
    await course.pass(8);
    await course.sleep(2 * 24 + night);

    // The second Monday: after a weekend all are back, also who was ill, and another class begins.
    await course.pass(2);
    await morning([...here, sick]);
    const second: Pupil[] = [];
    for (let number = 1; number <= 20; number += 1) second.push(await course.join(`Learner ${number}`));
    const newcomer = await course.look(second[0] as Pupil);
    deepEqual([newcomer.solved.toSorted(), newcomer.vehicles], [['credentials', 'token-by-json'], []]);
    await lesson(course, second, 0);
    await course.check([...here, sick, ...second]);
    equal((await listed(course.lplate, trainersList, trainerToken)).length, 39);
  });
});
