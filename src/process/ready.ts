import { readFileSync, rmSync, statSync } from 'node:fs';
import type { Config } from '../settings/config.ts';
import { writePrivateFile } from '../settings/private-file.ts';
import type { Secrets } from '../settings/secrets.ts';
import { StartupError } from '../settings/startup-error.ts';

/** What a program that starts L-Plate needs to know: `--ready json`, `--ready-file`. */
export interface Ready {
  /** Where it listens. */
  readonly url: string;
  /** The origin in URLs. With `--public-url auto` those of an answer have the address of its request. */
  readonly publicUrl: string;
  /** `trainerToken` is null where there is no trainer. */
  readonly secrets: { readonly [Name in keyof Secrets]: string | null };
  readonly version: string;
}

/** On one line, which ends with a line feed. */
export function readyLine(url: string, { publicUrl, range }: Config, secrets: Secrets): string {
  const { hmacSecret, readerClientSecret, fleetClientSecret, trainerToken = null } = secrets;
  const ready: Ready = {
    url,
    publicUrl,
    secrets: { hmacSecret, readerClientSecret, fleetClientSecret, trainerToken: range === 'on' ? trainerToken : null },
    version: version(),
  };
  return `${JSON.stringify(ready)}\n`;
}

export function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

/** The file that is there from when it listens to its end. */
export class ReadyFile {
  readonly #path: string | undefined;

  /**
   * Removes one that a killed process has left: nobody must take it for ours.
   *
   * @throws {StartupError} exit code 1: there is something else, or it can't be removed
   */
  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined) return;
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw unusable(path, 'it is not a file');
    this.#attempt(() => rmSync(path, { force: true }));
  }

  /** @throws {StartupError} exit code 1: it can't be written */
  write(line: string): void {
    const path = this.#path;
    if (path !== undefined) this.#attempt(() => writePrivateFile(path, line));
  }

  remove(): void {
    try {
      if (this.#path !== undefined) rmSync(this.#path, { force: true });
    } catch {
      // The process ends, and whoever reads the file will find nobody there.
    }
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw unusable(this.#path ?? '', (error as Error).message);
    }
  }
}

function unusable(path: string, reason: string): StartupError {
  return new StartupError(1, `The file ${path} (--ready-file) can't be used: ${reason}`);
}
