import { Redis, type Result } from 'ioredis';
import type { Logger } from 'pino';
import type { Clock } from '../../time/clock.ts';
import { once, type Taken } from './coarse-window.ts';
import {
  LocalRateLimitStore,
  type LongWindow,
  type LongWindowOptions,
  type RateLimitStore,
  type Window,
} from './rate-limit-store.ts';
import type { Decision } from './sliding-window.ts';

/*
 * Counts that all nodes share, kept in Redis: for each key a sorted set of the times of its admitted calls. One script
 * forgets those that have left the window, decides and counts, so that no two nodes decide at the same moment. Time is
 * that of Redis.
 *
 * When Redis fails or is slow to answer, calls are counted by this node alone, at once and without asking again, until
 * it answers again. That is told in the log once, and again once when the counts are shared anew.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local limit = tonumber(ARGV[1])
local window = tonumber(ARGV[2]) * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
if used >= limit then
  -- Times that lie ahead are from before the clock of Redis was set back: they would stay until it has caught up.
  redis.call('ZREMRANGEBYSCORE', KEYS[1], now + window + 1, '+inf')
  used = redis.call('ZCARD', KEYS[1])
end
local admitted = 0
if used < limit then
  -- Calls of one microsecond differ in how many there were before.
  redis.call('ZADD', KEYS[1], now, string.format('%.0f-%d', now, used))
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  admitted = 1
  used = used + 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return { admitted, used, oldest + window - now }
`;

/** A long window: for each key a hash from the number of a step to the calls in it. */
const longScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit = tonumber(ARGV[1])
local window = tonumber(ARGV[2])
local length = tonumber(ARGV[3])
local step = math.floor(now / length)
local used = 0
local oldest = step
local counts = redis.call('HGETALL', KEYS[1])
for at = 1, #counts, 2 do
  local each = tonumber(counts[at])
  if (each + 1) * length + window <= now or each > step + 1 then
    -- Left the window, or was counted before the clock of Redis was set back.
    redis.call('HDEL', KEYS[1], counts[at])
  else
    used = used + tonumber(counts[at + 1])
    oldest = math.min(oldest, each)
  end
end
local admitted = 0
if used < limit then
  redis.call('HINCRBY', KEYS[1], step, 1)
  redis.call('PEXPIRE', KEYS[1], window + length)
  admitted = 1
  used = used + 1
end
return { admitted, used, (oldest + 1) * length + window - now, step }
`;

const releaseScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left <= 0 then redis.call('HDEL', KEYS[1], ARGV[1]) end
return left
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** As `admit`, for a long window: milliseconds until the oldest step is forgotten, and the step it counts in. */
    take(
      key: string,
      limit: number,
      windowMs: number,
      stepMs: number,
    ): Result<[admitted: 0 | 1, used: number, free: number, step: number], Context>;
    /** Takes back one call of a step. */
    release(key: string, step: number): Result<number, Context>;
    /** Whether it is admitted, the calls counted now, and the microseconds until one of them is forgotten. */
    admit(key: string, limit: number, windowMs: number): Result<[admitted: 0 | 1, used: number, free: number], Context>;
  }
}

/**
 * Ticks, and milliseconds of one, within which Redis must answer: a caller waits for it. A second, since a busy machine
 * may keep a server that is well waiting for half of one. In ticks and not by the `commandTimeout` of ioredis, a single
 * timer: it may be this process that stood still, and after that such a timer ends before the answers that have come are
 * read. Between two ticks they are read.
 */
const commandTimeout = { ticks: 20, tick: 50 };

/** Milliseconds between two looks for a Redis that is away. */
const interval = 1000;

export class RedisRateLimitStore implements RateLimitStore {
  readonly #redis: Redis;
  readonly #local: LocalRateLimitStore;
  readonly #log: Logger;
  readonly #timers: NodeJS.Timeout[];
  /** Answers that are waited for, and how many ticks they have left. */
  readonly #waiting = new Set<{ ticks: number; late: (error: Error) => void }>();
  #here = false;
  #told = false;

  /** Resolves when Redis has answered, or failed to: the program starts without it too. */
  static async open(url: string, clock: Clock, log: Logger): Promise<RedisRateLimitStore> {
    const rateLimits = new RedisRateLimitStore(url, clock, log);
    await rateLimits.#redis.connect().catch(() => {});
    await rateLimits.#look();
    return rateLimits;
  }

  private constructor(url: string, clock: Clock, log: Logger) {
    this.#local = new LocalRateLimitStore(clock);
    this.#log = log;
    this.#redis = new Redis(url, {
      lazyConnect: true,
      // Who calls must not wait for a Redis that may come back.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // Above our own limit, for commands that nobody waits for.
      commandTimeout: 3000,
      connectTimeout: 2000,
      retryStrategy: (times) => Math.min(50 * 2 ** times, 2000),
      enableAutoPipelining: true,
      scripts: {
        admit: { lua: script, numberOfKeys: 1 },
        take: { lua: longScript, numberOfKeys: 1 },
        release: { lua: releaseScript, numberOfKeys: 1 },
      },
    });
    // It is told once, below; without a listener each failure would be printed.
    this.#redis.on('error', () => {});
    // A node that nobody calls is to know as well.
    this.#redis.on('close', () => this.#here && this.#away());
    this.#timers = [
      setInterval(() => void this.#look(), interval).unref(),
      setInterval(() => this.#wait(), commandTimeout.tick).unref(),
    ];
  }

  get shared(): boolean {
    return this.#here;
  }

  open(name: string, limit: number, windowMs: number): Window {
    const local = this.#local.open(name, limit, windowMs);
    return {
      admit: (key) => {
        if (!this.#here) return local.admit(key);
        return this.#admit(`lplate:${name}:${key}`, limit, windowMs).catch(() => {
          this.#away();
          return local.admit(key);
        });
      },
    };
  }

  openLong(name: string, options: LongWindowOptions): LongWindow {
    const local = this.#local.openLong(name, options);
    return {
      take: (key) => {
        if (!this.#here) return local.take(key);
        return this.#take(`lplate:${name}:${key}`, options).catch(() => {
          this.#away();
          return local.take(key);
        });
      },
    };
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const { late } of this.#waiting) late(new Error('the program stops'));
    this.#here = false;
    this.#redis.disconnect();
  }

  async #admit(key: string, limit: number, windowMs: number): Promise<Decision> {
    const [admitted, used, free] = await this.#inTime(this.#redis.admit(key, limit, windowMs));
    return {
      admitted: admitted === 1,
      limit,
      remaining: admitted === 1 ? limit - used : 0,
      resetSeconds: Math.max(1, Math.ceil(free / 1_000_000)),
    };
  }

  async #take(key: string, { limit, windowMs, stepMs }: LongWindowOptions): Promise<Taken> {
    const [admitted, used, free, step] = await this.#inTime(this.#redis.take(key, limit, windowMs, stepMs));
    return {
      admitted: admitted === 1,
      limit,
      remaining: admitted === 1 ? limit - used : 0,
      resetSeconds: Math.max(1, Math.ceil(free / 1000)),
      // A Redis that went away meanwhile counts one too many.
      release: once(() => admitted === 1 && this.#redis.release(key, step).catch(() => {})),
    };
  }

  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const wait = { ticks: commandTimeout.ticks, late: reject };
    this.#waiting.add(wait);
    try {
      return await Promise.race([answer, promise]);
    } finally {
      this.#waiting.delete(wait);
    }
  }

  forget(): void {
    this.#local.forget();
  }

  #wait(): void {
    for (const wait of this.#waiting) {
      wait.ticks -= 1;
      if (wait.ticks === 0) wait.late(new Error('Redis is late'));
    }
  }

  async #look(): Promise<void> {
    if (this.#here) return;
    // By the script itself: a Redis that only answers, but takes no writes, is of no use.
    const answered = await this.#inTime(this.#redis.admit('lplate:look', 1, 1)).then(
      () => true,
      () => false,
    );
    if (!answered) return this.#away();
    this.#here = true;
    if (this.#told) this.#log.info('Redis is back: rate limits are shared among all nodes again');
    this.#told = false;
  }

  #away(): void {
    this.#here = false;
    if (!this.#told) this.#log.warn('Redis is not available: until it is back, each node counts calls by itself');
    this.#told = true;
  }
}
