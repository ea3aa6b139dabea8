import { type Api, endpoint } from '../../http/endpoint.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import type { Config } from '../../settings/config.ts';
import { networkOrigins } from '../../settings/network-origins.ts';
import type { Tls } from '../../tls/tls.ts';
import type { Catalogue } from '../lessons/lesson.ts';
import { anyScope, tokenProblems } from '../refusals.ts';
import type { Announcements } from './announcements.ts';
import type { ClassEnds } from './ends.ts';
import type { ClassInfo } from './schemas.ts';
import { classTexts, trainerClassTexts } from './texts.ts';

export interface ClassRoutesOptions {
  readonly config: Config;
  readonly tls: Tls | undefined;
  readonly classEnds: ClassEnds;
  readonly catalogue: Catalogue;
  readonly announcements: Announcements;
}

/** Tells a browser of the service before it has a client, or when its client is gone. */
export function classRoutes(api: Api, { tls, classEnds }: ClassRoutesOptions): void {
  endpoint(api, 'GET', '/service', classTexts.readService, {
    async handler(request) {
      const fingerprint = tls?.authority?.fingerprint;
      const authority = fingerprint
        ? { page: absoluteUrl(request, '/ca'), certificate: absoluteUrl(request, '/ca.pem'), fingerprint }
        : null;
      return { authority, classEndedAt: await classEnds.last() };
    },
    problems: ['unavailable'],
  });
}

/** Tells the trainer how the class is set up. */
export function trainerClassRoutes(api: Api, { config, catalogue, announcements }: ClassRoutesOptions): void {
  const info = { lessonsFile: config.lessonsFile ?? null, ...pathOf(catalogue) };
  endpoint(api, 'GET', '/class', trainerClassTexts.readClass, {
    async handler() {
      // A machine may have come to another network since the start.
      const announcement = (await announcements.current()) ?? null;
      return { ...info, announcement, addresses: networkOrigins(config) };
    },
    scope: anyScope,
    problems: tokenProblems,
  });
}

function pathOf({ lessons }: Catalogue): Pick<ClassInfo, 'lessons' | 'ownLessons' | 'topics'> {
  const topics: { id: string; title: string; lessons: { id: string; title: string; own: boolean }[] }[] = [];
  for (const { id, title, topic, own = false } of lessons) {
    if (topics.at(-1)?.id !== topic.id) topics.push({ ...topic, lessons: [] });
    topics.at(-1)?.lessons.push({ id, title, own });
  }
  return { lessons: lessons.length, ownLessons: lessons.filter(({ own }) => own).length, topics };
}
