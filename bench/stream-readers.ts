import { connect } from 'node:net';

/*
 * Readers of many streams of server-sent events, a process of its own. It does as little as it can with what arrives.
 *
 * It is told what to open, and replies once each stream has begun. Then, each time it is asked, it replies as soon as
 * every stream has had one event more than when it was asked last: with the number and the time of each event.
 */

export interface Opening {
  host: string;
  port: number;
  /** The requests as they go over the wire, one for each stream. */
  requests: string[];
}

export interface Arrival {
  /** The number of the event in the topic. */
  seq: number;
  /** Milliseconds on the clock that all processes of the machine share. */
  at: number;
}

export interface Arrivals {
  /** The next event of each stream. */
  events: Arrival[];
  /** What one of the streams was sent, without the framing of HTTP. */
  text: string;
}

/** Milliseconds after which what has not come is lost: a stream that was not woken reads on after 15 seconds. */
const patience = 10_000;

let streams: Arrival[][] = [];
let text = '';
let asked = 0;
/** Streams that have not begun, or lack the event that was asked for. */
let missing = 0;
let late: NodeJS.Timeout;

process.on('message', (opening: Opening | Record<string, never>) => {
  late = setTimeout(() => {
    throw new Error(`${missing} streams of ${streams.length} got nothing in ${patience / 1000} s`);
  }, patience);
  if (opening.requests) return open(opening as Opening);
  asked += 1;
  missing = streams.filter((arrivals) => arrivals.length < asked).length;
  if (missing === 0) reply();
});
process.on('SIGTERM', () => process.exit());

function open({ host, port, requests }: Opening): void {
  missing = requests.length;
  streams = requests.map((request) => {
    const arrivals: Arrival[] = [];
    let begun = false;
    let rest = '';
    const socket = connect(port, host, () => socket.write(request)).setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      const at = Number(process.hrtime.bigint()) / 1e6;
      rest += chunk;
      if (!begun) {
        if (!rest.startsWith('HTTP/1.1 200')) throw new Error(`a stream was refused: ${rest}`);
        if (!rest.includes('\nretry: ')) return;
        begun = true;
        missing -= 1;
        if (missing === 0) reply();
      }
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = /id: (\d+)-\d\ndata: .*/.exec(block);
        if (!event) continue;
        text = `${event[0]}\n\n`;
        if (arrivals.push({ seq: Number(event[1]), at }) !== asked) continue;
        missing -= 1;
        if (missing === 0) reply();
      }
    });
    socket.on('close', () => {
      throw new Error('a stream ended');
    });
    return arrivals;
  });
}

function reply(): void {
  clearTimeout(late);
  const events = streams.map((arrivals) => arrivals[asked - 1]).filter((arrival) => arrival !== undefined);
  process.send?.({ events, text } satisfies Arrivals);
}
