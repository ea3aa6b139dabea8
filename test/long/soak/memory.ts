import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const everyMs = 2000;

/** Minutes after which memory is to be flat. */
const warmUp = 2;

/** The resident memory of a process, in MiB, once every two seconds. */
export class MemorySamples {
  readonly #pid: number;
  readonly #samples: number[] = [];

  constructor(pid: number) {
    this.#pid = pid;
  }

  async take(running: () => boolean): Promise<void> {
    for (; running(); await pause(everyMs)) {
      const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
      this.#samples.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
    }
  }

  /** The least of each minute: what a collection left. How much is there before the next one is V8's choice. */
  get #minutes(): number[] {
    const perMinute = 60_000 / everyMs;
    const minutes: number[] = [];
    for (let at = 0; at + perMinute <= this.#samples.length; at += perMinute) {
      minutes.push(Math.min(...this.#samples.slice(at, at + perMinute)));
    }
    return minutes;
  }

  /** The last two minutes take no more than the two that follow the warm-up, but for a seventh and 32 MiB. */
  assertFlat(): void {
    const minutes = this.#minutes;
    if (minutes.length < warmUp + 4) return;
    const early = median(minutes.slice(warmUp, warmUp + 2));
    const late = median(minutes.slice(-2));
    assert.ok(late <= early * 1.15 + 32, `memory grew from ${early} to ${late} MiB: ${this.report()}`);
  }

  report(): string {
    const largest = Math.max(...this.#samples);
    return `memory by minute: ${this.#minutes.map(Math.round).join(' ')} MiB, at the most ${Math.round(largest)} MiB`;
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
