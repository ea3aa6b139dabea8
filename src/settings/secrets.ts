import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Randomness, systemRandomness } from '../randomness.ts';
import { savedText } from '../text/encoding.ts';
import type { Config } from './config.ts';
import { closeToOthers, writePrivateFile } from './private-file.ts';
import { StartupError } from './startup-error.ts';

/** The secrets that the specification gives "out of band"; the banner prints them at the start. */
export interface Secrets {
  readonly hmacSecret: string;
  readonly readerClientSecret: string;
  readonly fleetClientSecret: string;
  /** Undefined where it is not set and nothing can be kept: then the trainer's interface is off. */
  readonly trainerToken: string | undefined;
}

const required = ['hmacSecret', 'readerClientSecret', 'fleetClientSecret'] as const;
const names = [...required, 'trainerToken'] as const;

type Kept = Partial<Record<(typeof names)[number], string>>;

/**
 * A secret that is set wins; one that is not is kept in `secrets.json` of the data directory, made at the first start.
 *
 * @throws {StartupError} exit code 1: the file can't be read or written
 */
export function keptSecrets(config: Config, directory: string): Secrets {
  const path = join(directory, 'secrets.json');
  const kept = read(path);
  const missing = names.filter((name) => config[name] === undefined && kept[name] === undefined);
  for (const name of missing) kept[name] = newSecret(name, systemRandomness);
  if (missing.length > 0) write(path, kept);
  return Object.fromEntries(names.map((name) => [name, config[name] ?? kept[name]])) as unknown as Secrets;
}

/** A secret that is set wins; the others are made for this start, and kept nowhere. */
export function madeSecrets(config: Config, randomness: Randomness): Secrets {
  const made = names.map((name) => [name, config[name] ?? newSecret(name, randomness)]);
  return Object.fromEntries(made) as unknown as Secrets;
}

const newSecret = (name: string, randomness: Randomness) => randomness.bytes(name, 24).toString('base64url');

/**
 * With PostgreSQL there is no data directory, and every node must know the same secrets: all must be set but the
 * trainer's token, without which nobody is the trainer. A class has one.
 *
 * @throws {StartupError} exit code 2, naming those that are missing
 */
export function givenSecrets(config: Config): Secrets {
  const needed = config.class === 'on' && config.range === 'on' ? names : required;
  const missing = needed.filter((name) => config[name] === undefined);
  if (missing.length === 0) return Object.fromEntries(names.map((name) => [name, config[name]])) as unknown as Secrets;
  const variables = missing.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  throw new StartupError(
    2,
    `With DATABASE_URL, no secrets are stored on this machine: set ${variables.join(', ')} as well.`,
  );
}

function read(path: string): Kept {
  let text: string;
  try {
    text = savedText(readFileSync(path)) ?? '';
    closeToOthers(path, 0o600);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new StartupError(1, `The secrets in ${path} can't be read: ${(error as Error).message}`);
  }
  const kept = parse(text);
  if (kept) return kept;
  // The parse error would show its content.
  throw new StartupError(1, `${path} does not contain secrets. Fix it, or delete it to create new ones.`);
}

function parse(text: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(text);
    if (kept === null || typeof kept !== 'object' || Array.isArray(kept)) return undefined;
    return Object.values(kept).every((value) => typeof value === 'string' && value !== '') ? kept : undefined;
  } catch {
    return undefined;
  }
}

function write(path: string, kept: Kept): void {
  try {
    writePrivateFile(path, `${JSON.stringify(kept, null, 2)}\n`);
  } catch (error) {
    throw new StartupError(1, `The secrets can't be saved in ${path}: ${(error as Error).message}`);
  }
}
