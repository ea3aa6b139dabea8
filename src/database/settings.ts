import type { Config } from '../settings/config.ts';
import { inMemory } from '../settings/settings.ts';
import type { DatabaseLocation, InMemory } from './open.ts';
import type { PostgresOptions } from './postgres.ts';

export interface DatabaseSettings {
  readonly where: DatabaseLocation | InMemory;
  readonly options: PostgresOptions;
  /** The data directory, where the engine has one: other files that are kept on this machine go there too. */
  readonly directory: string | undefined;
}

/** Which database the settings name, and how to connect to it. */
export function databaseSettings(config: Config): DatabaseSettings {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl === undefined && dataDir === inMemory) return { where: inMemory, options: {}, directory: undefined };
  if (databaseUrl === undefined) return { where: { directory: dataDir }, options: {}, directory: dataDir };
  const url = new URL(databaseUrl);
  if (config.databasePassword !== undefined) url.password = encodeURIComponent(config.databasePassword);
  return { where: { url: url.href }, options: postgresOptions(config), directory: undefined };
}

function postgresOptions(config: Config): PostgresOptions {
  const { databasePoolSize, databaseTimeoutSeconds, databaseTls, databaseTlsCa } = config;
  const ca = databaseTlsCa === undefined ? {} : { ca: databaseTlsCa };
  const tls: Record<Config['databaseTls'], PostgresOptions['tls']> = {
    url: undefined,
    off: false,
    on: { rejectUnauthorized: false },
    verify: { rejectUnauthorized: true, ...ca },
  };
  return {
    max: databasePoolSize,
    statementTimeoutMillis: databaseTimeoutSeconds * 1000,
    tls: tls[databaseTls],
  };
}
