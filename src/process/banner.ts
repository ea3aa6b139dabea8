import type { Running } from '../app.ts';
import type { GoingLearners } from '../range/index.ts';
import { classLines } from '../settings/class-mode.ts';
import type { Config } from '../settings/config.ts';
import { announcedOrigin, listensToAll, networkOrigins } from '../settings/network-origins.ts';
import { inMemory } from '../settings/settings.ts';
import { instant } from '../time/clock.ts';
import { inWords } from '../time/in-words.ts';
import { version } from './ready.ts';
import { unprintable } from './status-line.ts';

export type Announced = Pick<Running, 'url' | 'secrets' | 'addresses' | 'presets'> &
  Partial<Pick<Running, 'authorityFingerprint' | 'authorityReplaced' | 'lessonCount' | 'secondTaken' | 'going'>> & {
    /** Where the log goes, if it goes to a file. */
    readonly logFile?: string | undefined;
  };

/** What a start prints on the terminal. It contains secrets, so it never goes through the log. */
export function banner(config: Config, announced: Announced): string {
  const { url, secrets, addresses, presets, authorityFingerprint } = announced;
  const inNetwork = networkOrigins(config);
  // People read them aloud and paste them into chats, so they are those that everybody can use.
  const origin = announcedOrigin(config);
  const others = inNetwork.slice(1);
  const lines = addresses.map(({ what, path }) => row(what, `${origin}${path}`));
  return [
    '',
    `L-Plate ${version()} is ready and listens on ${url}`,
    ...(announced.secondTaken
      ? [`Another program has port ${config.port} of ::1, which localhost means as well. If it answers, use ${url}`]
      : []),
    ...(others.length > 0 && config.class === 'off'
      ? [`In other networks of this machine its address is ${others.join(' or ')}`]
      : []),
    ...(listensToAll(config) && inNetwork.length > 0 ? [`On this machine ${config.publicUrl} leads to it, too.`] : []),
    '',
    ...lines,
    ...(authorityFingerprint ? [row('its fingerprint (SHA-256)', authorityFingerprint)] : []),
    '',
    'Secrets, which a real insurer would send you separately:',
    row('read-only client', `${presets.reader}  ${secrets.readerClientSecret}`),
    row('client with 75 policies', `${presets.fleet}  ${secrets.fleetClientSecret}`),
    row('HMAC_SECRET', secrets.hmacSecret),
    ...(config.range === 'on' ? [row('TRAINER_TOKEN', secrets.trainerToken ?? trainerOff)] : []),
    '',
    ...(announced.authorityReplaced
      ? [
          `THE CLASS AUTHORITY IS NEW, since ${announced.authorityReplaced}: everyone must trust it anew, as ${origin}/ca says.`,
          '',
        ]
      : []),
    ...warnings(config).flatMap((line) => [line, '']),
    ...invitation(config, origin, inNetwork, announced),
    ...(announced.going ? ['', goingLine(announced.going)] : []),
    '',
    '',
  ].join('\n');
}

/** What keeps learners that are about to go. */
export const keepFlag = ({ days }: GoingLearners) => `--keep-clients-days ${days}`;

/** Comes last, where the eye is. Names of others must not move the cursor. */
function goingLine(going: GoingLearners): string {
  const { total, names, keptUntil } = going;
  const more = total > names.length ? ` and ${total - names.length} more` : '';
  const who = `${names.join(', ')}${more}`.replaceAll(unprintable, '');
  return `ABOUT TO BE REMOVED, since nobody used them for long: ${who}.\nWho makes no call before ${inWords(keptUntil)} goes then or later, with all that is its own. To keep them, start again with ${keepFlag(going)}.`;
}

const row = (what: string, value: string) => `  ${what.padEnd(28)}${value}`;

/** In place of the trainer's token: no word of it is one. */
const trainerOff = '(not set: /range/v1/trainer is off)';

/** What differs from a service for learners. */
function warnings({ dataDir, databaseUrl, seed, now, workers, redisUrl }: Config): string[] {
  return [
    ...(databaseUrl === undefined && dataDir === inMemory ? ['Nothing is kept: all data are gone when it stops.'] : []),
    ...(now === undefined ? [] : [`Time stands still at ${instant(now)} until it is moved.`]),
    ...(seed === undefined ? [] : [`FOR TESTS ONLY: seed ${seed}. Anybody can compute its ids and secrets.`]),
    ...(workers > 1 && redisUrl === undefined
      ? [`Each of the ${workers} workers counts calls by itself. Set REDIS_URL to share the rate limits.`]
      : []),
  ];
}

/** Who is to open what. */
function invitation(
  config: Config,
  origin: string,
  inNetwork: readonly string[],
  { secrets: { trainerToken }, lessonCount, authorityFingerprint, logFile }: Announced,
): string[] {
  if (config.class === 'on')
    return classLines({ ...config, trainerToken, lessonCount, authorityFingerprint, logFile, origins: inNetwork });
  return [`Open ${origin} for the console. Stop with Ctrl+C.`];
}
