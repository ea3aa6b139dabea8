import { inMemory, type Settings } from './settings.ts';
import { StartupError } from './startup-error.ts';
import { isAddress } from './values.ts';

/* Rules that combine several settings. */

/** Whether what it does is to be the same at each start. Then it begins empty each time. */
export function isReproducible({ seed, now }: Pick<Settings, 'seed' | 'now'>): boolean {
  return seed !== undefined || now !== undefined;
}

/** @throws {StartupError} exit code 2 */
export function checkCombinations(given: Settings): void {
  checkMemory(given);
  if (given.workers > 1 && given.databaseUrl === undefined) {
    const why = 'only one process can use the embedded database. Set DATABASE_URL, or use one worker';
    throw new StartupError(2, `--workers: more than one needs PostgreSQL: ${why}.`);
  }
  checkTls(given);
  const { databaseUrl, databaseTls } = given;
  const parameters = databaseUrl === undefined ? [] : [...(URL.parse(databaseUrl)?.searchParams.keys() ?? [])];
  if (databaseTls !== 'url' && parameters.some((name) => name.startsWith('ssl'))) {
    const why = 'DATABASE_URL has ssl parameters too, which would override it. Remove one of the two';
    throw new StartupError(2, `DATABASE_TLS: ${why}.`);
  }
  if (given.kafkaTlsSni === 'on' && given.kafkaBrokers.some(isAddress)) {
    throw new StartupError(2, 'KAFKA_TLS_SNI: KAFKA_BROKERS must contain host names, not addresses.');
  }
  const lacksLogin = given.kafkaUsername === undefined || given.kafkaPassword === undefined;
  if (given.kafkaSaslMechanism !== 'none' && lacksLogin) {
    throw new StartupError(2, 'KAFKA_SASL_MECHANISM: set KAFKA_USERNAME and KAFKA_PASSWORD as well.');
  }
}

function checkMemory({ dataDir, seed, now, databaseUrl, workers }: Settings): void {
  const isMemory = dataDir === inMemory;
  const flag = [seed !== undefined && '--seed', now !== undefined && '--now'].find((name) => name !== false);
  const needs = flag ?? (isMemory ? '--data-dir memory' : undefined);
  if (needs === undefined) return;
  const begins = 'a service with it begins empty and keeps nothing, in one process';
  if (databaseUrl !== undefined) throw new StartupError(2, `${needs}: ${begins}. Leave DATABASE_URL out.`);
  if (workers > 1) throw new StartupError(2, `${needs}: ${begins}. Leave --workers out.`);
  if (isMemory || dataDir === '') return;
  throw new StartupError(2, `${needs}: ${begins}. Leave the data directory out, or use --data-dir memory.`);
}

function checkTls({ tls, tlsCert, tlsKey, tlsClientCa, databaseUrl }: Settings): void {
  const given = tlsCert !== undefined || tlsKey !== undefined;
  if (given && (tlsCert === undefined || tlsKey === undefined)) {
    const [has, lacks] = tlsCert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new StartupError(2, `${has}: set ${lacks} as well. HTTPS needs a certificate and its key.`);
  }
  if (tls === 'self' && given) {
    throw new StartupError(2, '--tls self: makes a certificate, so leave out --tls-cert and --tls-key, or --tls self.');
  }
  if (tls === 'self' && databaseUrl !== undefined) {
    const why = 'with DATABASE_URL nothing is kept on this machine, so there is no place for the class authority';
    throw new StartupError(2, `--tls self: ${why}. Use --tls-cert and --tls-key.`);
  }
  if (tlsClientCa !== undefined && tls === 'off' && !given) {
    throw new StartupError(2, '--tls-client-ca: needs HTTPS. Set --tls self, or --tls-cert and --tls-key.');
  }
}
