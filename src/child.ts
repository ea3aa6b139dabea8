import { once } from 'node:events';
import { start } from './app.ts';
import { nearName } from './http/near-name.ts';
import { standardLog } from './output/log.ts';
import { Output } from './output/output.ts';
import type { Answer, Given } from './process/child-messages.ts';
import { flushTimeout, gracePeriod, printErrors, stopOnSignal } from './process/stopping.ts';
import { disconnectParent } from './process/workers.ts';
import { type Config, configFrom, settingNames } from './settings/config.ts';
import { inMemory, notOfLibrary } from './settings/settings.ts';
import { StartupError } from './settings/startup-error.ts';
import { systemClock } from './time/clock.ts';

/*
 * The service as a child process of tests, which `library.ts` starts. The first message from the parent has the settings.
 * One goes back: that it is ready, or why it is not. It stops when the parent closes the channel, and when the parent
 * ends, which closes it too.
 */

/** What a test needs unless it says otherwise: any port, nothing on its standard error, and nothing on disk. */
const defaults: Given = { port: '0', logLevel: 'silent' };

export async function serveParent(): Promise<void> {
  const standardError = new Output(2);
  printErrors(standardError);
  const parentGone = once(process, 'disconnect').then(() => undefined);
  const message = await Promise.race([once(process, 'message'), parentGone]);
  if (!message) return;
  const [given] = message as [Given];
  try {
    const log = standardLog(systemClock, standardError);
    const kept = given.dataDir !== undefined || given.databaseUrl !== undefined;
    const running = await start(configOf({ ...defaults, ...(!kept && { dataDir: inMemory }), ...given }), { log });
    const stop = stopOnSignal(running, { log, standardError, within: gracePeriod });
    const { url, secrets } = running;
    if (process.connected) tell({ ready: { url, publicUrl: running.config.publicUrl, secrets } });
    else stop();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    tell({ failed: error.message });
    disconnectParent();
    await standardError.flush(flushTimeout);
  }
}

/** @throws {StartupError} exit code 2 */
function configOf(given: Given): Config {
  const excluded: readonly string[] = notOfLibrary;
  const allowed: readonly string[] = settingNames.filter((name) => !excluded.includes(name));
  const wrong = Object.keys(given).find((name) => !allowed.includes(name));
  if (wrong === undefined) return configFrom(given);
  const near = nearName(wrong, allowed);
  throw new StartupError(2, `There is no setting ${JSON.stringify(wrong)}${near ? `. Did you mean ${near}?` : ''}`);
}

function tell(answer: Answer): void {
  process.send?.(answer);
}
