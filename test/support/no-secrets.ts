import { fail } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../src/config.ts';

/** What was given out or set in a test: client secrets, tokens, secrets of webhooks, those of the settings. */
export type SentSecrets = Set<string>;

/**
 * After each test on the embedded database, whatever it did: nothing that is secret stands in the log of exchanges, in what
 * is kept of lessons, or in a log line.
 */
export function assertNoSecrets({ dataDir, databaseUrl }: Config, log: readonly string[], secrets: SentSecrets): void {
  const texts = [...log, ...(databaseUrl ? [] : storedTexts(join(dataDir, 'l-plate.db')))];
  const whole = texts.join('\n');
  for (const secret of secrets) {
    if (!whole.includes(secret)) continue;
    const found = texts.find((text) => text.includes(secret)) ?? '';
    fail(`A secret was kept: ${found.slice(0, 2000)}`);
  }
}

function storedTexts(file: string): string[] {
  // The test has removed it.
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    const rows = database.prepare(
      `select summary || details as text from exchanges
        union all select coalesce(proof, '') || coalesce(last_miss, '') from lesson_progress`,
    );
    return rows.all().map(({ text }) => String(text));
  } catch (error) {
    // The test has broken it.
    if (/malformed|no such table|not a database|disk/.test((error as Error).message)) return [];
    throw error;
  } finally {
    database.close();
  }
}
