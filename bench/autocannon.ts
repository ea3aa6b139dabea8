import { once } from 'node:events';
import cannon from 'autocannon';
import { connections, type Generator, inTurn, mark, scattered } from './load.ts';

/** Sends load from this process. It is slower than wrk, so a fast server looks slower than it is. */
export const autocannon: Generator = async (url, load, seconds, first) => {
  const { method, body } = load;
  let number = first;
  const own = (request: cannon.Request) => {
    number += 1;
    return { ...request, body: body?.replace(mark, scattered(number)) };
  };
  const requests = inTurn(load).map(({ path, headers }) => ({
    method,
    path,
    headers,
    body,
    ...(body?.includes(mark) && { setupRequest: own }),
  }));
  // Its own statistics are in whole milliseconds.
  const latencies: number[] = [];
  // With a callback it is the run itself that is returned, which tells of each answer.
  const run = cannon({ url, connections, duration: seconds, requests }, () => {});
  run.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds));
  const [result] = (await once(run, 'done')) as [cannon.Result];
  latencies.sort((a, b) => a - b);
  const percentile = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0;
  return {
    requests: latencies.length,
    seconds: result.duration,
    p50: percentile(0.5),
    p99: percentile(0.99),
    failures: result.non2xx + result.errors + result.timeouts,
  };
};
