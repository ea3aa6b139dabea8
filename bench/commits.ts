import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * When events were committed, as another process sees it that looks into the database every millisecond. To ask the
 * program itself would only show when it found time to answer.
 */
export class Commits {
  readonly #database: DatabaseSync;
  readonly #timer: NodeJS.Timeout;
  readonly #seen: { seq: number; at: number }[] = [];

  /** `directory` is the data directory of a program that runs. */
  constructor(directory: string) {
    this.#database = new DatabaseSync(join(directory, 'l-plate.db'), { readOnly: true });
    const head = this.#database.prepare('select seq from event_head');
    this.#timer = setInterval(() => {
      const seq = head.get()?.seq as number;
      const at = Number(process.hrtime.bigint()) / 1e6;
      if (seq !== this.#seen.at(-1)?.seq) this.#seen.push({ seq, at });
    }, 1);
  }

  /** Milliseconds on the clock that all processes of the machine share. */
  timeOf(seq: number): number {
    const commit = this.#seen.find((each) => each.seq >= seq);
    if (!commit) throw new Error(`event ${seq} was not seen`);
    return commit.at;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#database.close();
  }
}
