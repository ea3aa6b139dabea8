import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { programPath } from './support/programs.ts';
import { toolTest } from './support/tool-test.ts';
import { python } from './support/tools.ts';

/** What httplint is told in vain, and why. */
const accepted: Record<string, string> = {
  CREATED_WITHOUT_LOCATION: 'A demo client has no address.',
  REQUEST_HDR_IN_RESPONSE: 'RFC 6749, section 5.1, asks for Pragma.',
  STATUS_BAD_REQUEST: 'It tells of the status.',
  STATUS_URI_TOO_LONG: 'It tells of the status.',
  VARY_COMPLEX: 'Descriptions depend on the coding and on all that the address may follow from.',
  VARY_HOST: 'A cache behind a proxy may know other hosts than the one that was asked for.',
};

const trainerToken = 'the-trainer-token-of-this-test';

describe('Decisions, REST conventions: what a linter of HTTP finds in the answers of a walk is what was decided', () => {
  const settings = { environment: { TRAINER_TOKEN: trainerToken } };

  toolTest(['httplint'], 'httplint, notes of the levels “bad” and “warning”', settings, async ({ origin }) => {
    const { stdout } = await python([programPath('lint-answers.py'), origin, trainerToken]);
    const { statuses, notes } = JSON.parse(stdout);
    const met = [200, 201, 204, 304, 400, 401, 404, 405, 409, 412, 413, 414, 415, 429, 500];
    assert.deepEqual(
      met.filter((status) => !statuses.includes(status)),
      [],
    );
    for (const [name, answers] of Object.entries(notes)) assert(name in accepted, `${name}: ${answers}`);
    assert.deepEqual(Object.keys(notes).sort(), Object.keys(accepted).sort());
  });
});
