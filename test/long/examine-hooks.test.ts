import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { examine } from '../../src/examine/examine.ts';
import { reportOf, stageText } from '../../src/examine/report.ts';
import type { Counterexample } from '../../src/library/examination.ts';
import { startExamined } from '../examine/examined.ts';
import { noPython, withPythonInsurer } from '../examine/insurer.ts';

const hooked = ['expiry', 'sixty-a-minute'];

test('Examinations: a stage is skipped where the hook is not there, and says which one it needs', async (t) => {
  const { url, close } = await startExamined();
  t.after(close);
  const { results } = await examine(`${url}/insurer/v1`, { stages: hooked });
  deepEqual(results.map(stageText), [
    '- expiry: skipped, since your service does not offer POST /insurer/v1/test/clock\n',
    '- sixty-a-minute: skipped, since your service does not offer POST /insurer/v1/test/limits\n',
  ]);
});

test('Examinations: what answers a hook with anything but 204 does not have it', async (t) => {
  for (const answer of [
    (of: ServerResponse) => of.writeHead(200).end('{}'),
    (of: ServerResponse) => of.destroy(),
    (of: ServerResponse) => of.writeHead(200).write(' '.repeat(6_000_000)),
  ]) {
    const server = createServer((_, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const { results } = await examine(`http://127.0.0.1:${port}/insurer/v1`, { stages: hooked });
    deepEqual(
      results.map(({ outcome, calls }) => [outcome, calls]),
      [
        ['skipped', 1],
        ['skipped', 1],
      ],
    );
  }
});

describe('Examinations: an insurer of others', { skip: noPython }, () => {
  test('Examinations: one that has the hooks passes the stages that need them', async () => {
    const { results } = await withPythonInsurer(undefined, (url) =>
      examine(url, { stages: hooked, all: true, seed: 3 }),
    );
    deepEqual(
      results.map((result) => [result.outcome, result.outcome === 'failed' && stageText(result)]),
      hooked.map(() => ['passed', false]),
    );
  });

  /** What a broken rule is told by, and what its commands write when they are pasted. */
  const found = (mutant: string, stage: string): Promise<Counterexample & { pasted: string }> =>
    withPythonInsurer(mutant, async (url) => {
      const [result] = reportOf(await examine(url, { stages: [stage], seed: 3 })).stages;
      ok(result?.counterexample, 'nothing was found');
      return {
        ...result.counterexample,
        pasted: (await promisify(execFile)('sh', ['-c', result.counterexample.commands])).stdout,
      };
    });
  const statuses = (pasted: string) => [...pasted.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

  test('Examinations: calls at the same time are cut down to two, and are so when their commands are pasted', async () => {
    const { says, calls, commands, pasted } = await found('race-creates', 'races');
    match(says, /^Of 2 calls at once your service answered 2 with 201; 1 with 201 and 1 with 409 duplicate-policy is/);
    equal(calls, 4);
    match(commands, / &\ncurl [\s\S]* &\nwait$/);
    deepEqual(statuses(pasted), ['201', '201']);
  });

  test('Examinations: what comes by itself is waited for, also when the commands are pasted', async () => {
    const { says, pasted } = await found('import-refused-uncounted', 'imports');
    match(says, /^The member \/refused is 0; \d is right\.$/);
    match(pasted, /"status": *"completed"/);
  });

  test('Examinations: what does not come by itself is told', async () => {
    const { says } = await found('import-never-ends', 'imports');
    equal(says, 'The member /status of your service is still "running"; "completed" is right by now.');
  });

  test('Examinations: a call that is made often is written once', async () => {
    const { says, commands, pasted } = await found('limit-unset', 'sixty-a-minute');
    match(says, /^Your service answered 200; 429 is right/);
    match(commands, /for call in \$\(seq 61\); do\ncurl [^\n]*\ndone$/);
    deepEqual(statuses(pasted), ['204', ...Array(61).fill('200')]);
  });
});
