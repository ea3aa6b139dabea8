import { randomBytes } from 'node:crypto';
import { start } from './app.ts';
import { nearName } from './http/requests/near-name.ts';
import { standardLog } from './output/log.ts';
import { Output } from './output/output.ts';
import { type Given, onMessages, type ToChild, type ToParent, wrapped } from './process/child-messages.ts';
import { callOwn } from './process/own-calls.ts';
import { flushTimeout, gracePeriod, printErrors, stopOnSignal } from './process/stopping.ts';
import { disconnectParent } from './process/workers.ts';
import { type Config, configFrom, inMembers, settingNames } from './settings/config.ts';
import { inMemory, notOfLibrary } from './settings/settings.ts';
import { StartupError } from './settings/startup-error.ts';
import { systemClock } from './time/clock.ts';

/*
 * The service as a child process of tests, which `library.ts` starts. The first message from the parent has the settings.
 * One goes back: that it is ready, or why it is not. Then the parent sends calls, and gets the answers. It stops when the
 * parent closes the channel, and when the parent ends, which closes it too.
 */

/** What a test needs unless it says otherwise: any port, nothing on its standard error, and nothing on disk. */
const defaults: Given = { port: '0', logLevel: 'silent' };

/** With a database of its own nothing is kept beside it, and the helpers are the trainer's. */
const inDatabase = (): Given => ({ trainerToken: randomBytes(24).toString('base64url') });

/** The same, unless it is to keep its data. */
const inFixture: Given = { dataDir: inMemory, keepClientsDays: 'off' };

export async function serveParent(): Promise<void> {
  const standardError = new Output(2);
  printErrors(standardError);
  let url = '';
  const given = await new Promise<Given | undefined>((resolve) => {
    process.once('disconnect', () => resolve(undefined));
    onMessages<ToChild>(process, (message) => {
      if ('start' in message) resolve(message.start);
      else void callOwn(url, message.call).then((answered) => tell({ answered }));
    });
  });
  if (!given) return;
  try {
    const log = standardLog(systemClock, standardError);
    const kept = given.dataDir !== undefined || given.databaseUrl !== undefined;
    const running = await start(
      configOf({
        ...defaults,
        ...(!kept && inFixture),
        ...(given.databaseUrl !== undefined && inDatabase()),
        ...given,
      }),
      { log },
    );
    const stop = stopOnSignal(running, { log, standardError, within: gracePeriod });
    const { secrets } = running;
    url = running.url;
    if (process.connected) tell({ ready: { url, publicUrl: running.config.publicUrl, secrets } });
    else stop();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    tell({ failed: inMembers(error.message) });
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

/** One that has gone meanwhile needs to know nothing. */
function tell(message: ToParent): void {
  process.send?.(wrapped(message), undefined, undefined, () => {});
}
