import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PeriodicJob } from '../../src/time/periodic-job.ts';

test('Decisions, the program: nothing rejected is kept: a job whose failure can’t be told either is done anew when it is asked for', async () => {
  let runs = 0;
  const job = new PeriodicJob(
    async () => {
      runs += 1;
      throw new Error('the job fails');
    },
    () => {
      throw new Error('and so does the log');
    },
  );
  // The second comes in the middle of the first run, so it waits for one more.
  await Promise.all([job.run(), job.run()]);
  assert.equal(runs, 2);
  await Promise.all([job.run(), job.run()]);
  assert.equal(runs, 4);
  await job.stop();
});
