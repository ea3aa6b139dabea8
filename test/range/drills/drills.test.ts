import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minute } from '../../../src/time/units.ts';
import { forEachEngine, onPostgres } from '../../support/engines.ts';
import { problem, sharedLPlate, startLPlate, startWithClient, testSecrets } from '../../support/lplate.ts';
import { until } from '../../support/receiver.ts';
import { restartable } from '../../support/restart.ts';
import { countStored } from '../../support/stored.ts';
import { listed, trainerToken } from '../range.ts';

forEachEngine((engine) => {
  describe('drills, started and ended', () => {
    const lplate = sharedLPlate(engine);

    const mine = '/range/v1/me/drills';

    test('Decisions, drills: at least ten are listed and explained, each with its parameters and their bounds', async () => {
      const { json } = await lplate.call('GET', '/range/v1/drills');
      ok(json.totalItems >= 10);
      for (const { name, summary, description, parameters } of json.items) {
        match(name, /^[a-z-]+$/);
        match(`${summary}.`, /^[A-Z]/);
        match(description, /\.$/);
        for (const each of Object.values<Record<string, unknown>>(parameters.properties)) {
          ok(each.description);
          ok('minimum' in each || 'enum' in each || 'maxItems' in each, JSON.stringify(each));
        }
      }
    });

    test('Decisions, drills: one is started, read with the time that is left, and ended', async () => {
      const client = await lplate.client();
      const json = { name: 'unavailable', parameters: { share: 0.5, seed: 7 }, minutes: 2 };
      const started = await lplate.call('POST', mine, { token: client.token, json });
      equal(started.status, 201, started.text);
      equal(started.headers.get('location'), `${lplate.config.publicUrl}${mine}/unavailable`);
      deepEqual(started.json.parameters, { share: 0.5, retryAfter: 2, seed: 7 });
      deepEqual([started.json.appliesTo, started.json.startedBy, started.json.secondsLeft], ['client', 'client', 120]);
      lplate.clock.advance(30_500);
      equal((await lplate.call('GET', `${mine}/unavailable`, client)).json.secondsLeft, 90);
      deepEqual(
        (await listed(lplate, mine, client.token)).map(({ name }) => name),
        ['unavailable'],
      );
      equal((await lplate.call('DELETE', `${mine}/unavailable`, client)).status, 204);
      const gone = await lplate.call('GET', `${mine}/unavailable`, client);
      deepEqual(problem(gone), [404, 'drill-not-found']);
      // So that a script can end it, whether or not it has ended by itself.
      equal((await lplate.call('DELETE', `${mine}/unavailable`, client)).status, 204);
      equal((await lplate.call('GET', '/policies', client)).status, 200);
    });

    test('Decisions, drills: one that is started again takes the place of the first, and its count begins again', async () => {
      const client = await lplate.client();
      const start = (json: object) => lplate.call('POST', mine, { token: client.token, json });
      const { json: first } = await start({ name: 'unavailable', parameters: { seed: 1 }, minutes: 1 });
      lplate.clock.advance(10_000);
      const { json: second } = await start({ name: 'unavailable', parameters: { seed: 2, share: 0 }, minutes: 10 });
      deepEqual([first.parameters.seed, second.parameters.seed], [1, 2]);
      deepEqual(
        (await listed(lplate, mine, client.token)).map(({ parameters }) => parameters.seed),
        [2],
      );
      equal((await lplate.call('GET', '/policies', client)).status, 200);
    });

    test('Decisions, drills: each ends by itself, to the moment', async () => {
      const client = await lplate.client();
      await lplate.call('POST', mine, { token: client.token, json: { name: 'unavailable', minutes: 10 } });
      lplate.clock.advance(10 * minute - 1);
      equal((await lplate.call('GET', '/policies', client)).status, 503);
      lplate.clock.advance(1);
      equal((await lplate.call('GET', '/policies', client)).status, 200);
      deepEqual(await listed(lplate, mine, client.token), []);
      deepEqual(problem(await lplate.call('GET', `${mine}/unavailable`, client)), [404, 'drill-not-found']);
    });

    test('Decisions, drills: a clock that is set back does not prolong one', async () => {
      const client = await lplate.client();
      await lplate.call('POST', mine, { token: client.token, json: { name: 'unavailable', minutes: 10 } });
      lplate.clock.step(-5 * minute);
      equal((await lplate.call('GET', '/policies', client)).status, 200);
      deepEqual(await listed(lplate, mine, client.token), []);
      lplate.clock.step(5 * minute);
    });

    test('Decisions, drills: bad input is refused, and says what to do', async () => {
      const { token } = await lplate.client();
      const start = async (json: unknown) => {
        const answer = await lplate.call('POST', mine, { token, json });
        deepEqual(problem(answer), [400, 'validation-error']);
        return answer.json.detail as string;
      };
      match(await start({ name: 'unavailabel' }), /name: must be one of .* Did you mean "unavailable"\?/);
      match(await start({ name: 'delay', parameters: { fromMS: 1 } }), /parameters\/fromMS: .* Did you mean fromMs\?/);
      match(
        await start({ name: 'delay', parameters: { long: 1 } }),
        /It has fromMs, toMs, when, share, seed, sequence, sequenceThen, calls\./,
      );
      match(
        await start({ name: 'delay', fromMs: 5, share: 1 }),
        /fromMs: is a parameter of the drill delay: send it within parameters/,
      );
      match(await start({ name: 'delay', fromMs: 5, share: 1 }), /share: is a parameter/);
      match(await start({ name: 'cut-streams', seconds: 3 }), /within parameters/);
      match(await start({ name: 'stop-events', parameters: { long: 1 } }), /the drill stop-events, which has none/);
      match(await start({ name: 'delay', parameters: { fromMs: 30_001 } }), /fromMs: must be at most 30000, not 30001/);
      match(
        await start({ name: 'delay', parameters: { fromMs: '5' } }),
        /fromMs: must be a whole number without quotes/,
      );
      match(await start({ name: 'delay', parameters: { fromMs: 9, toMs: 8 } }), /toMs: must not be less than fromMs/);
      match(await start({ name: 'delay', parameters: { when: 'now' } }), /when: must be one of before, after/);
      match(await start({ name: 'delay', parameters: { share: 1.1 } }), /share: must be at most 1/);
      match(await start({ name: 'delay', parameters: [1] }), /parameters: must be an object, not an array/);
      match(await start({ name: 'delay', minutes: 11 }), /minutes: must be at most 10, not 11/);
      for (const [minutes, status] of [
        [90, 201],
        [91, 400],
      ] as const) {
        const json = { name: 'stop-events', minutes };
        const { id } = await lplate.client();
        const byTrainer = await lplate.call('POST', `/range/v1/trainer/learners/${id}/drills`, {
          token: trainerToken,
          json,
        });
        equal(byTrainer.status, status, byTrainer.text);
      }
      match(await start({ name: 'delay', minutes: 0 }), /minutes: must be at least 0.05, not 0/);
      match(await start({}), /name: is missing/);
      for (const name of ['delya', '%00', 'constructor', '__proto__']) {
        const answer = await lplate.call('DELETE', `${mine}/${name}`, { token });
        deepEqual(problem(answer), [404, 'drill-not-found']);
        if (name === 'delya') match(answer.json.detail, /Did you mean delay\?/);
      }
    });

    test('Decisions, drills: preconfigured clients have none, not even those of all', async () => {
      const token = await lplate.token(lplate.presets.fleet, testSecrets.fleetClientSecret);
      const own = await lplate.call('POST', mine, { token, json: { name: 'delay' } });
      deepEqual(problem(own), [409, 'preset-client']);
      match(own.json.detail, /The client preset-fleet is preconfigured/);
      const path = `/range/v1/trainer/learners/${lplate.presets.fleet}/drills`;
      const trainers = await lplate.call('POST', path, { token: trainerToken, json: { name: 'delay' } });
      deepEqual(problem(trainers), [409, 'preset-client']);
      const common = '/range/v1/trainer/drills';
      await lplate.call('POST', common, { token: trainerToken, json: { name: 'unavailable' } });
      equal((await lplate.call('GET', '/policies', { token })).status, 200);
      deepEqual(await listed(lplate, mine, token), []);
      equal((await lplate.call('DELETE', `${common}/unavailable`, { token: trainerToken })).status, 204);
    });

    test('Decisions, drills: the trainer starts and ends them for one client, who can end them too', async () => {
      const [client, other] = [await lplate.client(), await lplate.client()];
      const path = `/range/v1/trainer/learners/${client.id}/drills`;
      const start = () => lplate.call('POST', path, { token: trainerToken, json: { name: 'unavailable' } });
      const { json, headers } = await start();
      equal(json.startedBy, 'trainer');
      deepEqual((await lplate.call('GET', headers.get('location') as string, { token: trainerToken })).json, json);
      deepEqual(await listed(lplate, path, trainerToken), [json]);
      deepEqual(await listed(lplate, mine, client.token), [json]);
      equal((await lplate.call('GET', '/policies', client)).status, 503);
      equal((await lplate.call('GET', '/policies', other)).status, 200);
      equal((await lplate.call('DELETE', `${path}/unavailable`, { token: trainerToken })).status, 204);
      equal((await lplate.call('GET', '/policies', client)).status, 200);
      await start();
      equal((await lplate.call('DELETE', `${mine}/unavailable`, client)).status, 204);
      equal((await lplate.call('GET', '/policies', client)).status, 200);
      for (const nobody of ['demo-none', '%00', '-', 'constructor']) {
        for (const [method, place] of [
          ['POST', ''],
          ['GET', ''],
          ['GET', '/delay'],
          ['DELETE', '/delay'],
        ]) {
          const url = `/range/v1/trainer/learners/${nobody}/drills${place}`;
          const body = method === 'POST' ? { json: { name: 'delay' } } : {};
          const answer = await lplate.call(method as string, url, { token: trainerToken, ...body });
          deepEqual(problem(answer), [404, 'client-not-found'], `${method} ${url}`);
        }
      }
      for (const { token } of [client, other]) equal((await lplate.call('POST', path, { token, json })).status, 401);
    });

    test('Decisions, drills: one of all hits every client, those to come too; a drill of its own comes first', async () => {
      const [client, other] = [await lplate.client(), await lplate.client()];
      const common = '/range/v1/trainer/drills';
      const own = { name: 'unavailable', parameters: { share: 0 } };
      await lplate.call('POST', mine, { token: other.token, json: own });
      const { json, headers } = await lplate.call('POST', common, {
        token: trainerToken,
        json: { name: 'unavailable' },
      });
      equal(json.appliesTo, 'everybody');
      deepEqual((await lplate.call('GET', headers.get('location') as string, { token: trainerToken })).json, json);
      deepEqual(await listed(lplate, common, trainerToken), [json]);
      equal((await lplate.call('GET', '/policies', client)).status, 503);
      equal((await lplate.call('GET', '/policies', other)).status, 200);
      deepEqual((await lplate.call('GET', `${mine}/unavailable`, client)).json, json);
      deepEqual((await lplate.call('GET', `${mine}/unavailable`, other)).json.parameters.share, 0);
      equal((await lplate.call('DELETE', `${mine}/unavailable`, client)).status, 204);
      equal((await lplate.call('GET', '/policies', client)).status, 503);
      equal((await lplate.call('DELETE', `${mine}/unavailable`, other)).status, 204);
      equal((await lplate.call('GET', '/policies', other)).status, 503);
      equal((await lplate.call('DELETE', `${common}/unavailable`, { token: trainerToken })).status, 204);
      for (const each of [client, other]) equal((await lplate.call('GET', '/policies', each)).status, 200);
    });

    test('Decisions, drills: those that have ended are removed, and the metrics tell of those that are on', async () => {
      const client = await lplate.client();
      await lplate.call('POST', mine, { token: client.token, json: { name: 'delay', minutes: 1 } });
      const rows = () => countStored(lplate, 'drills', `client_id = '${client.id}'`);
      await lplate.housekeeping();
      equal(await rows(), 1);
      lplate.clock.advance(minute);
      await lplate.housekeeping();
      equal(await rows(), 0);
      const text = await (await fetch(`${lplate.url}/metrics`)).text();
      match(text, /^lplate_range_drills \d+$/m);
      match(text, /^lplate_range_drill_hits_total\{drill="unavailable"\} [1-9]\d*$/m);
      match(text, /^lplate_range_delayed_calls 0$/m);
    });
  });

  test('Decisions, drills: they outlive a restart, and end when they would have', async (t) => {
    const place = await restartable(engine);
    const first = await place.start();
    const client = await first.client();
    const json = { name: 'unavailable', parameters: { seed: 5 }, minutes: 2 };
    await first.call('POST', '/range/v1/me/drills', { token: client.token, json });
    await first.close();
    const second = await place.start({}, first.clock);
    t.after(() => second.close());
    equal((await second.call('GET', '/policies', client)).status, 503);
    const [drill] = await listed(second, '/range/v1/me/drills', client.token);
    deepEqual([drill.parameters.seed, drill.secondsLeft], [5, 120]);
    second.clock.advance(2 * minute);
    equal((await second.call('GET', '/policies', client)).status, 200);
  });

  test('Decisions, drills: without the range there are none', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { range: 'off' });
    const headers = { Authorization: `Bearer ${token}` };
    equal((await fetch(`${lplate.url}/range/v1/me/drills`, { headers })).status, 404);
    equal((await lplate.call('GET', '/policies', { token })).status, 200);
  });
});

onPostgres((engine) => {
  test('Decisions, drills: on several nodes one hits the calls to all of them, and ends on all', async (t) => {
    const one = await startLPlate(t, engine, { publicUrl: 'http://localhost:8080' });
    const { databaseUrl } = one.config;
    const other = await startLPlate(t, engine, { publicUrl: 'http://localhost:8080', databaseUrl }, one.clock);
    const client = await one.client();
    const statusIs = (status: number) =>
      until(async () => (await other.call('GET', '/policies', client)).status === status, `${status}`);
    const json = { name: 'unavailable' };
    await one.call('POST', '/range/v1/me/drills', { token: client.token, json });
    equal((await one.call('GET', '/policies', client)).status, 503);
    await statusIs(503);
    deepEqual((await listed(other, '/range/v1/me/drills', client.token)).length, 1);
    equal((await other.call('DELETE', '/range/v1/me/drills/unavailable', client)).status, 204);
    await statusIs(200);
    await until(async () => (await one.call('GET', '/policies', client)).status === 200, '200');
  });
});
