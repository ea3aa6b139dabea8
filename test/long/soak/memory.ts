import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { kept } from '../../support/kept.ts';
import type { Program } from '../../support/program.ts';

const everyMs = 15_000;

/** Minutes after which memory is to be flat. */
const warmUp = 2;

/** What a program keeps once its garbage is collected, in megabytes, every 15 seconds. */
export class MemorySamples {
  readonly #program: Program;
  readonly #samples: number[] = [];

  constructor(program: Program) {
    this.#program = program;
  }

  async take(running: () => boolean): Promise<void> {
    for (; running(); await pause(everyMs)) this.#samples.push(await kept(this.#program));
  }

  /** The least of each minute: what was under way counts, too. */
  get #minutes(): number[] {
    const perMinute = 60_000 / everyMs;
    const minutes: number[] = [];
    for (let at = 0; at + perMinute <= this.#samples.length; at += perMinute) {
      minutes.push(Math.min(...this.#samples.slice(at, at + perMinute)));
    }
    return minutes;
  }

  /** The last two minutes take no more than the two that follow the warm-up, but for a seventh and 32 MB. */
  assertFlat(): void {
    const minutes = this.#minutes;
    if (minutes.length < warmUp + 4) return;
    const early = median(minutes.slice(warmUp, warmUp + 2));
    const late = median(minutes.slice(-2));
    assert.ok(late <= early * 1.15 + 32, `memory grew from ${early} to ${late} MB: ${this.report()}`);
  }

  report(): string {
    const largest = Math.max(...this.#samples);
    return `memory by minute: ${this.#minutes.map(Math.round).join(' ')} MB, at the most ${Math.round(largest)} MB`;
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
