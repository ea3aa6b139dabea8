import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { administer } from '../support/engines.ts';
import { problem } from '../support/lplate.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { expectLockWaits } from '../support/server-log.ts';
import { topicPath } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, type NodeAnswer, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';
import { Follower, Traffic } from './support/traffic.ts';

/** One to restart and one to suspend, so that both tests, which are waiting most of the time, run at once. */
const restarted = await shareServer(startPostgres);
const suspended = await shareServer(startPostgres);

/** Milliseconds within which all goes on by itself. */
const patience = 15_000;

/** The locks of the roles: which there are, each as often as it is held. */
async function roles(url: string): Promise<string[]> {
  const rows = await administer<{ role: string }>(
    `select objid::text as role from pg_locks where locktype = 'advisory' and classid = 7501947 and objsubid = 2
      and granted and database = (select oid from pg_database where datname = current_database()) order by objid`,
    url,
  );
  return rows.map(({ role }) => role);
}

async function everyNode(nodes: Nodes, check: (node: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: nodes.count }, (_, node) => check(node)));
}

/** Waits until every node says so, and does what it says. */
async function served(nodes: Nodes): Promise<void> {
  await everyNode(nodes, (node) =>
    until(
      async () => {
        const ready = await nodes.call('GET', '/readyz', { node });
        const written = await nodes.call('POST', '/demo-clients', { node });
        return ready.status === 200 && written.status === 201;
      },
      `node ${node} serves`,
      patience,
    ),
  );
}

/** No node has ended, and none met an error that it did not foresee. */
function assertWell(nodes: Nodes): void {
  for (let node = 0; node < nodes.count; node += 1) {
    assert.equal(nodes.program(node).child.exitCode, null);
    assert.equal(nodes.program(node).stderr(), '');
    assert.deepEqual(
      nodes.log(node).filter(({ level }) => level >= 50),
      [],
    );
  }
}

/** Ends every connection of the nodes, as an administrator would. */
async function endConnections(url: string): Promise<void> {
  const statement = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'l-plate'";
  await administer(statement, url);
}

/** The server's processes, each with its state: `T` is stopped, `Z` has ended. The first one is the one that starts the others. */
async function processesOf(server: PostgresServer): Promise<{ pid: number; state: string }[]> {
  const first = server.pid as number;
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = await Promise.all(
    all.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { pid, parent: Number(parent), state };
    }),
  );
  return processes.filter(({ pid, parent }) => pid === first || parent === first);
}

/** Stops the first process before it looks for the others: one that starts meanwhile would go on answering. */
async function suspend(t: TestContext, server: PostgresServer): Promise<() => void> {
  const stopped = new Set([server.pid as number]);
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of stopped) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended since.
      }
    }
  };
  const resume = () => signal('SIGCONT');
  t.after(resume);
  const isStopped = async () => {
    signal('SIGSTOP');
    const processes = await processesOf(server);
    for (const { pid } of processes) stopped.add(pid);
    signal('SIGSTOP');
    return processes.every(({ state }) => state === 'T' || state === 'Z');
  };
  await until(isStopped, 'the server is suspended', patience);
  return resume;
}

describe('The program, more than one node: PostgreSQL goes and comes back', { concurrency: 2 }, () => {
  test('while it is restarted, calls get 503, nothing acknowledged is lost, and all goes on by itself', async (t) => {
    const url = await emptyDatabase(restarted);
    const nodes = await Nodes.start(t, url);
    const client = await nodes.client();
    const { token } = client;
    const before = await roles(url);
    assert.ok(before.length >= 3 && new Set(before).size === before.length, `roles ${before}`);
    const policies: string[] = [];
    for (const regNumber of ['E-1', 'E-2', 'E-3', 'E-4']) {
      policies.push((await nodes.call('POST', '/policies', { token, json: { regNumber } })).json.id);
    }
    const claim = async () => {
      for (const policyNumber of policies) {
        const answer = await nodes.call('POST', '/claims/v1/claims', { token, json: { policyNumber, paceSeconds: 1 } });
        assert.equal(answer.status, 201, answer.text);
      }
    };
    const poll = (node: number, wait: number) =>
      nodes.call('GET', `${topicPath}?after=latest&wait=${wait}`, { token, node });
    const published = () =>
      administer<{ event_id: string; ordering_key: string }>(
        `select event_id, ordering_key from events where client_id = '${client.id}' order by seq`,
        url,
      );
    const followers = [0, 1, 2].map((node) => new Follower(t, nodes.program(node).url, token));
    const traffic = await Traffic.start(t, nodes);

    for (const down of ['shutDown', 'kill'] as const) {
      const [events, answers] = [(await published()).length, traffic.answers.length];
      await claim();
      const polls = [0, 1, 2].map((node) => poll(node, 3));
      // The desk is at work, and so is everybody else.
      const busy = async () => (await published()).length > events && traffic.answers.length > answers + 200;
      await until(busy, 'there is traffic', patience);
      await restarted[down]();
      await everyNode(nodes, async (node) => {
        assert.deepEqual(problem(await nodes.call('GET', '/readyz', { node })), [503, 'unavailable']);
        assert.equal((await nodes.call('GET', '/healthz', { node })).status, 200);
      });
      await pause(1000);
      await restarted.start();
      await served(nodes);
      for (const { status } of await Promise.all(polls)) assert.ok(status === 200 || status === 503, String(status));
    }
    for (let time = 0; time < 10; time += 1) {
      await endConnections(url);
      await pause(50);
    }
    await served(nodes);
    await traffic.stop();

    // What happens now reaches those who wait, through every node.
    const asBefore = async () => String(await roles(url)) === String(before);
    await until(asBefore, 'the roles are taken again, each once', patience);
    const waiting = [0, 1, 2].map((node) => poll(node, 30));
    await pause(100);
    await claim();
    for (const { status, json, ms } of await Promise.all(waiting)) {
      assert.equal(status, 200);
      assert.ok(json.events.length > 0 && ms < patience, `${json.events.length} events after ${ms} ms`);
    }
    // Twelve claims, each moved three times.
    await until(async () => (await published()).length === 36, 'the desk is through', patience);
    const events = await published();
    for (const follower of followers) {
      await until(() => follower.events.size >= events.length, 'the stream tells all', patience);
      await follower.stop();
      assert.deepEqual([...follower.events.keys()].sort(), events.map(({ event_id }) => event_id).sort());
      for (const id of new Set(events.map(({ ordering_key }) => ordering_key))) {
        const moves = [...follower.events.values()].filter(({ claimId }) => claimId === id);
        assert.deepEqual(
          moves.map(({ newStatus }) => newStatus),
          ['UNDER_REVIEW', 'APPROVED', 'CLOSED'],
        );
      }
    }

    await traffic.compare(url);
    traffic.assertRefusedWithin(patience);
    assertWell(nodes);
  });

  test('while it hangs nobody waits for longer than the timeouts, and all goes on when it does', async (t) => {
    const url = await emptyDatabase(suspended);
    // Whoever waits while it hangs waits for long.
    await expectLockWaits(url);
    const nodes = await Nodes.start(t, url, { DATABASE_TIMEOUT_SECONDS: '1' });
    const before = await roles(url);
    const { token } = await nodes.client();
    const traffic = await Traffic.start(t, nodes);
    await until(() => traffic.answers.length > 200, 'there is traffic', patience);
    const resume = await suspend(t, suspended);
    // Twice: long enough for those who hold the roles to give them up.
    for (let time = 0; time < 2; time += 1) {
      await everyNode(nodes, async (node) => {
        const refused: NodeAnswer[] = [];
        // More than it has connections: some wait for an answer, some for a connection.
        for (let call = 0; call < 15; call += 1) {
          void nodes.call('GET', '/policies', { token, node }).then((answer) => refused.push(answer));
        }
        assert.equal((await nodes.call('GET', '/healthz', { node })).status, 200);
        await until(() => refused.length === 15, `node ${node} refuses`, patience);
        for (const answer of refused) assert.deepEqual(problem(answer), [503, 'unavailable']);
      });
    }
    resume();
    await served(nodes);
    const asBefore = async () => String(await roles(url)) === String(before);
    await until(asBefore, 'the roles are taken again, each once', patience);
    await traffic.stop();
    await traffic.compare(url);
    traffic.assertRefusedWithin(patience);
    assertWell(nodes);
  });
});
