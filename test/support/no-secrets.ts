import { fail } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../src/settings/config.ts';
import { administer } from './engines.ts';

/** What was given out or set in a test: client secrets, tokens, secrets of webhooks, those of the settings. */
export type SentSecrets = Set<string>;

/**
 * After each test, whatever it did: nothing that is secret stands in the log of exchanges, in what is kept of lessons and
 * capstones, or in a log line. Elsewhere it may: a few tests put secrets into policies or an announcement.
 */
export async function assertNoSecrets(config: Config, log: readonly string[], secrets: SentSecrets): Promise<void> {
  const texts = [...log, ...(await storedTexts(config))];
  const whole = texts.join('\n');
  for (const secret of secrets) {
    if (!whole.includes(secret)) continue;
    const found = texts.find((text) => text.includes(secret)) ?? '';
    fail(`A secret was kept: ${found.slice(0, 2000)}`);
  }
}

const kept = `select summary || details as text from exchanges
  union all select coalesce(proof, '') || coalesce(last_miss, '') from lesson_progress
  union all select coalesce(faults, '') from capstone_runs`;

async function storedTexts({ databaseUrl, dataDir }: Config): Promise<string[]> {
  if (databaseUrl) {
    const rows = await administer<{ text: string }>(kept, databaseUrl).catch(() => []);
    return rows.map(({ text }) => text);
  }
  const file = join(dataDir, 'l-plate.db');
  // The test has removed it.
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    return database
      .prepare(kept)
      .all()
      .map(({ text }) => String(text));
  } catch (error) {
    // The test has broken it.
    if (/malformed|no such table|not a database|disk/.test((error as Error).message)) return [];
    throw error;
  } finally {
    database.close();
  }
}
