import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/*
 * Starts L-Plate for tests: on a free port, nothing on disk, no rate limits, and the same ids, secrets and times in
 * each run. LPLATE_DIR is the clone of L-Plate that is started; by default the one that this file is in.
 */

const directory = process.env.LPLATE_DIR ?? fileURLToPath(new URL('../../..', import.meta.url));

const settings = ['--port', '0', '--ready', 'json', '--seed', '47', '--now', '2026-03-01T09:00Z'];
const limits = ['--rate-limit-per-minute', 'off', '--probe-limit-per-minute', 'off'];

/** Resolves when it listens. */
export async function startLPlate() {
  const child = spawn('npm', ['start', '--silent', '--', ...settings, ...limits], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOG_LEVEL: 'warn' },
    shell: process.platform === 'win32',
  });
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`L-Plate did not start: exit code ${code}`))),
  ]);
  const { url, secrets } = JSON.parse(line);

  /**
   * @param {string} method
   * @param {string} path from the root of the server
   * @param {{ token?: string, json?: unknown }} [options]
   */
  async function call(method, path, { token, json } = {}) {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      body: json === undefined ? null : JSON.stringify(json),
    });
    const text = await response.text();
    return { status: response.status, body: text && JSON.parse(text) };
  }

  const trainer = { token: secrets.trainerToken };
  return {
    url,
    secrets,
    call,
    /** The state of the start: before each test. */
    reset: () => call('POST', '/range/v1/trainer/reset?what=everything', trainer),
    /** @param {string} advance how far time goes on for everybody, such as `PT10S` */
    advance: (advance) => call('POST', '/range/v1/trainer/clock', { ...trainer, json: { advance } }),
    /** A token of a new client. */
    async token() {
      const { body: credentials } = await call('POST', '/insurer/v1/demo-clients');
      const { body } = await call('POST', '/insurer/v1/auth/token', { json: credentials });
      return body.access_token;
    },
    async stop() {
      child.kill();
      await once(child, 'close');
    },
  };
}
