import { ok } from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { firstCalls, plateOfTool, type ToolId } from '../../console/pages/start/first-calls.ts';
import { trustLines } from '../../console/pages/start/trust.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate, testSecrets } from '../support/lplate.ts';

const clientId = 'preset-fleet';
const clientSecret = testSecrets.fleetClientSecret;

/** What each tool needs, and how its first calls are run once their lines are in `first`. */
const runs: Partial<Record<ToolId, { readonly needs: string; readonly run: string }>> = {
  curl: { needs: 'curl', run: 'bash first' },
  httpie: { needs: 'http', run: 'bash first' },
  javascript: { needs: process.execPath, run: `cp first first.mjs && '${process.execPath}' first.mjs` },
  python: { needs: 'python3', run: 'python3 first' },
  java: { needs: 'keytool', run: 'cp first First.java && java First.java' },
};

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;

onSqlite((engine) => {
  describe('Console, start: the first calls where the service has a class authority', () => {
    for (const [id, { needs, run }] of Object.entries(runs) as [ToolId, { needs: string; run: string }][]) {
      test(`with ${id} they verify the certificate after the step before them, and fail without it`, {
        skip: !isThere(needs) || !isThere('openssl'),
      }, async (t) => {
        const lplate = await startLPlate(t, engine, { tls: 'self' });
        const folder = await mkdtemp(join(tmpdir(), 'l-plate-trust-'));
        t.after(() => rm(folder, { recursive: true, force: true }));
        const origin = `https://localhost:${lplate.config.port}`;
        await writeFile(join(folder, 'config.json'), '{"default_options":["--ignore-stdin"]}');
        await writeFile(join(folder, 'first'), firstCalls(id, { origin, clientId, clientSecret, ownAuthority: true }));
        const bash = (script: string) =>
          promisify(execFile)('bash', ['-c', script], {
            cwd: folder,
            env: { ...process.env, NODE_OPTIONS: '', HTTPIE_CONFIG_DIR: folder, PYTHONUTF8: '1' },
            timeout: 60_000,
          }).then(
            ({ stdout }) => stdout,
            ({ stdout }: { stdout: string }) => stdout,
          );
        ok(!(await bash(run)).includes(plateOfTool(id, clientId)), 'not trusted yet');
        const shown = await bash(`${trustLines(id, origin)}${run}`);
        ok(shown.includes(lplate.authorityFingerprint as string), shown);
        ok(shown.includes(plateOfTool(id, clientId)), shown);
      });
    }
  });
});
