import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../src/database/database.ts';
import { forEachEngine, openEmpty } from '../support/engines.ts';

forEachEngine((engine) => {
  /** PostgreSQL tells the listeners of a channel once when it begins to listen: what follows is counted after that. */
  async function open(t: test.TestContext, ...channels: string[]): Promise<Database> {
    const database = await openEmpty(t, engine);
    for (const channel of engine.name === 'postgres' ? channels : []) {
      await new Promise((resolve) => database.onSignal(channel, resolve));
    }
    return database;
  }

  test('Decisions, claims and events: a signal is heard after the turn in which it was given, by every listener', async (t) => {
    const database = await open(t, 'a');
    const heard: string[] = [];
    database.onSignal('a', () => heard.push('first'));
    database.onSignal('a', () => heard.push('second'));
    database.signal('a');
    assert.deepEqual(heard, []);
    await Promise.resolve();
    assert.deepEqual(heard, []);
    await turn();
    assert.deepEqual(heard, ['first', 'second']);
  });

  test('Decisions, claims and events: the signals of one turn are told as one, those of the next turn anew', async (t) => {
    const database = await open(t, 'a');
    let heard = 0;
    database.onSignal('a', () => heard++);
    for (let i = 0; i < 100; i++) database.signal('a');
    await turn();
    assert.equal(heard, 1);
    database.signal('a');
    await turn();
    assert.equal(heard, 2);
  });

  test('Decisions, claims and events: a listener hears its own channel and no other', async (t) => {
    const database = await open(t, 'a', 'b');
    const heard: string[] = [];
    for (const channel of ['a', 'b']) database.onSignal(channel, () => heard.push(channel));
    database.signal('b');
    database.signal('nobody listens to this');
    await turn();
    assert.deepEqual(heard, ['b']);
    database.signal('b');
    database.signal('a');
    await turn();
    assert.deepEqual(heard.toSorted(), ['a', 'b', 'b']);
  });

  test('Decisions, claims and events: who stopped listening hears nothing, not even what was given before', async (t) => {
    const database = await open(t, 'a');
    const heard: string[] = [];
    const stopFirst = database.onSignal('a', () => {
      heard.push('first');
      stopThird();
    });
    const second = (): unknown => heard.push('second');
    const stopSecond = database.onSignal('a', second);
    const stopThird = database.onSignal('a', () => heard.push('third'));
    database.onSignal('a', second);
    database.signal('a');
    stopSecond();
    stopSecond();
    await turn();
    assert.deepEqual(heard, ['first', 'second'], 'the same function still listens once');
    stopFirst();
    database.signal('a');
    await turn();
    assert.deepEqual(heard, ['first', 'second', 'second']);
  });

  test('Decisions, claims and events: a listener is told once whom news are of, and of nobody where they may be of anybody', async (t) => {
    const database = await open(t, 'a');
    let heard: (string | undefined)[] = [];
    database.onSignal('a', (whose) => heard.push(whose));
    for (const whose of ['one', 'two', 'one']) database.signal('a', whose);
    await turn();
    assert.deepEqual(heard, ['one', 'two']);
    heard = [];
    for (const whose of ['one', undefined, 'two']) database.signal('a', whose);
    await turn();
    assert.deepEqual(heard, [undefined]);
  });

  test('Decisions, claims and events: all may stop, and listen again', async (t) => {
    const database = await open(t);
    let before = 0;
    database.onSignal('a', () => before++)();
    const heard = Promise.withResolvers<void>();
    database.onSignal('a', () => heard.resolve());
    database.signal('a');
    await heard.promise;
    assert.equal(before, 0);
  });

  test('Decisions, claims and events: who listens again each time is told once a signal, and may give signals', async (t) => {
    const database = await open(t, 'a');
    let heard = 0;
    const listen = (): void => {
      const stop = database.onSignal('a', () => {
        stop();
        if (++heard < 3) database.signal('a');
        if (heard < 10) listen();
      });
    };
    listen();
    database.signal('a');
    await turn();
    assert.equal(heard, 1);
    await turn();
    await turn();
    await turn();
    assert.equal(heard, 3);
  });

  test('The program: a listener that throws is a warning, and the others are told', async (t) => {
    const database = await open(t, 'a');
    const warned = once(process, 'warning');
    let heard = 0;
    database.onSignal('a', () => {
      throw new Error('a listener of a test threw this');
    });
    database.onSignal('a', () => heard++);
    database.signal('a');
    await turn();
    assert.equal(heard, 1);
    assert.match(String(await warned), /a listener of a test threw this/);
  });

  test('Decisions, claims and events: a signal from within a write, before its commit, is refused', async (t) => {
    const database = await open(t);
    await assert.rejects(
      database.write(async () => database.signal('a')),
      /when the write has resolved/,
    );
    await database.write(async () => {});
    database.signal('a');
  });

  test('The program: a closed database ignores signals and listeners', async (t) => {
    const database = await open(t, 'a');
    let heard = 0;
    const listen = (channel: string): (() => void) => database.onSignal(channel, () => heard++);
    listen('a');
    database.signal('a');
    const closed = database.close();
    listen('a')();
    listen('b');
    for (const channel of ['a', 'b']) database.signal(channel);
    await closed;
    listen('b');
    for (const channel of ['a', 'b']) database.signal(channel);
    await turn();
    assert.equal(heard, 0);
  });
});
