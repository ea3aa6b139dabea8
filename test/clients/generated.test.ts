import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe } from 'node:test';
import { told, typescript } from './support/programs.ts';
import { openapi, toolTest } from './support/tool-test.ts';
import { type Called, node } from './support/tools.ts';

/*
 * Clients that generators make of the descriptions alone. Each compiles and walks: credentials, token, a policy that is
 * created, read, listed, changed and cancelled, and a claim on it. The programs that use them are in programs/.
 */

const systems = ['insurer', 'claims'] as const;

const walk = {
  created: 'active',
  read: 'WK-1234',
  listed: 1,
  updated: 'Grace Example',
  claim: 'REGISTERED',
  cancelled: 'cancelled',
  refused: 'The policy can’t be changed any more',
};

function walked(called: Called): void {
  assert.deepEqual(told(called), walk);
}

describe('Descriptions: the client that a generator makes of them compiles, and does a whole walk', () => {
  toolTest(['openapi-typescript', 'openapi-fetch', 'typescript'], 'openapi-fetch', async (place) => {
    for (const system of systems) {
      const description = await place.document(openapi[system], `${system}.yaml`);
      const output = join(place.folder, `${system}.ts`);
      // Else a member with a default would have to be sent.
      const flags = ['--default-non-nullable', 'false'];
      await node('openapi-typescript/bin/cli.js', [description, '--output', output, ...flags]);
    }
    walked(await typescript(place, 'openapi-fetch.ts', [place.origin]));
  });
});
