import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endWithUs, scratchDirectory } from './cleanup.ts';
import { connections, type Generator, inTurn, type Load, mark, scatter } from './load.ts';

/** Sends load by wrk: one thread of it outruns any server measured here. */
export const wrk: Generator = async (origin, load, seconds, first) => {
  const file = join(scratchDirectory(), 'load.lua');
  writeFileSync(file, script(origin, load, first));
  const process = spawn('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', file, origin], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(process);
  const [output] = await Promise.all([text(process.stdout), once(process, 'exit')]);
  const result = /^RESULT (.*)$/m.exec(output)?.[1];
  if (!result) throw new Error(`wrk did not finish: ${output}`);
  return JSON.parse(result);
};

/** The requests as they go over the wire, so that Lua has nearly nothing to do for each. */
function script(origin: string, load: Load, first: number): string {
  const requests = inTurn(load).map(({ path, headers }) => luaText(raw(origin, path, { ...load, headers })));
  const next = load.body?.includes(mark)
    ? `number = number + 1
  return (requests[at]:gsub('${mark}', string.format('%010d', number * ${scatter.factor} % ${scatter.modulus})))`
    : 'return requests[at]';
  return `local requests = {\n${requests.join(',\n')}\n}
local at, number = 0, ${first}
function request()
  at = at % #requests + 1
  ${next}
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"failures":%d}\\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`;
}

function raw(origin: string, path: string, { method, headers, body = '' }: Load): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (body) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return [`${method} ${path} HTTP/1.1`, `Host: ${new URL(origin).host}`, ...lines, '', body].join('\r\n');
}

function luaText(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')}"`;
}
