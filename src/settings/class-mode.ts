import { renderUnicodeCompact } from 'uqr';
import { networkRanges } from './networks.ts';
import type { Settings } from './settings.ts';

/*
 * `--class`: L-Plate for a room full of learners, by one flag. It listens on the network, counts calls by client, since a
 * room may share one address, keeps them over holidays, limits SOAP, and lets webhooks call the receivers of the learners. It is a set of other defaults:
 * whatever is set itself stays as it is set.
 */

/** Calls by SOAP of an address, which may be that of a room: 40 learners, each with 60. */
const soapLimitPerMinute = 2400;

export function classDefaults(): Partial<Settings> {
  const webhookAllow = networkRanges();
  return { host: '0.0.0.0', keepClientsDays: 60, rateLimitKey: 'client', soapLimitPerMinute, webhookAllow };
}

export interface ClassRoom {
  /** The addresses by which learners reach it, the likeliest first. */
  readonly origins: readonly string[];
  readonly webhookAllow: readonly string[];
  readonly trainerToken: string | undefined;
  /** The file that chooses them, if there is one. */
  readonly lessons: object | undefined;
  /** Undefined where it is not known. */
  readonly lessonCount: number | undefined;
  /** Of the class authority, if the service has made one. */
  readonly authorityFingerprint: string | undefined;
  /** Where the log goes, if it goes to a file. */
  readonly logFile: string | undefined;
}

/** What the banner says to a trainer: where learners go, with a QR code, and what is open to them. */
export function classLines(room: ClassRoom): string[] {
  const { origins, webhookAllow, trainerToken, lessons, lessonCount, authorityFingerprint, logFile } = room;
  const [join, ...others] = origins;
  if (join === undefined)
    return [
      'Learners on other machines can’t reach L-Plate: no network was found, or HOST is for this machine alone.',
      'Stop with Ctrl+C.',
    ];
  const encryption = join.startsWith('https:') ? '' : ' without encryption';
  const receivers = webhookAllow.length > 0 ? `, and lets webhooks call ${webhookAllow.join(', ')}` : '';
  return [
    `Learners open ${join}, or scan:`,
    '',
    renderUnicodeCompact(join, { border: 2 }),
    '',
    ...(authorityFingerprint
      ? [`Browsers warn until they trust the class authority: ${join}/ca says how. Its fingerprint is above.`]
      : []),
    ...(others.length > 0 ? [`If they can’t reach it: ${others.join(' or ')}`] : []),
    `You open ${join}/#/trainer${trainerToken ? `, with the token ${trainerToken}` : ''}.`,
    ...(lessonCount
      ? [lessons ? `Your file chooses ${lessonCount} lessons.` : `The class has all ${lessonCount} lessons.`]
      : []),
    ...(logFile ? [`The log is in ${logFile}.`] : []),
    '',
    `For this class L-Plate listens on all networks of this machine${encryption}${receivers}.`,
    'Use a network that you trust. What to do before, during and after a class: docs/class.md. Stop with Ctrl+C.',
  ];
}
