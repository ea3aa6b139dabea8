import { dirname, join } from 'node:path';
import { describe } from 'node:test';
import { programPath } from './support/programs.ts';
import { openapi, toolTest } from './support/tool-test.ts';
import { call, pythonScripts } from './support/tools.ts';

/* Requests that Schemathesis makes of a description, valid and not; schemathesis.toml says how, and why. */

describe('Descriptions: what they say holds for any request that is made of them', () => {
  for (const system of ['insurer', 'claims', 'vehicle-registry'] as const) {
    const settings = { environment: { PROBE_LIMIT_PER_MINUTE: '1000000', WEBHOOK_ALLOW: '127.0.0.1/32' } };
    toolTest(
      ['schemathesis'],
      `Schemathesis with all checks, ${system}`,
      settings,
      async ({ program, origin, folder }) => {
        const { token } = await program.client();
        const { json: policy } = await program.call('POST', '/policies', { token, json: { regNumber: 'WK-1234' } });
        const hooks = programPath('schemathesis_hooks.py');
        await call(
          join(pythonScripts(), 'schemathesis'),
          [
            ...['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', `${origin}${openapi[system]}`],
            ...['--checks', 'all', '--header', `Authorization: Bearer ${token}`],
          ],
          {
            cwd: folder,
            environment: { SCHEMATHESIS_HOOKS: 'schemathesis_hooks', PYTHONPATH: dirname(hooks), POLICY_ID: policy.id },
          },
        );
      },
    );
  }
});
