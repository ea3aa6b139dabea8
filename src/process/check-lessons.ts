import { rootCertificates } from 'node:tls';
import { start } from '../app.ts';
import { ClassFileRefused } from '../range/index.ts';
import { configFrom } from '../settings/config.ts';
import { inMemory } from '../settings/settings.ts';
import { jsonFile } from '../settings/values.ts';

export interface Checked {
  /** For people, with a line for each fault. */
  readonly text: string;
  readonly exitCode: 0 | 2;
}

/** What a start with this file for `LESSONS` would say, found by one that keeps nothing and ends at once. */
export async function checkLessons(file: string, withCertificates = false): Promise<Checked> {
  let lessons: object;
  try {
    lessons = jsonFile(file);
  } catch (error) {
    return { text: `${sentence((error as Error).message)}\n`, exitCode: 2 };
  }
  try {
    const config = configFrom({ dataDir: inMemory, port: '0', logLevel: 'silent' });
    // Any authority will do.
    const asking = { tls: 'self', tlsClientCa: rootCertificates[0] } as const;
    const running = await start({ ...config, ...(withCertificates && asking), lessons }, { log: { write: () => {} } });
    await running.close();
    return { text: `${file} can be used. It has ${running.lessonCount} lessons.\n`, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof ClassFileRefused)) throw error;
    return { text: listed(file, error.faults), exitCode: 2 };
  }
}

function listed(file: string, faults: readonly string[]): string {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  const lines = faults.map((fault, at) => `  ${at + 1}. ${sentence(fault)}\n`);
  return `${file} has ${count}:\n${lines.join('')}`;
}

const sentence = (text: string) => (text.endsWith('?') ? text : `${text}.`);
