// What the interfaces answer, as their own schemas have it. Only types come from there: nothing of the service is bundled.
import type { Static } from 'typebox';
import type { MyLessonView } from '../../src/range/lessons/schemas.ts';
import type { Announcement as AnnouncementSchema, Me as MeSchema } from '../../src/range/me-schemas.ts';
import type { Exchange as ExchangeSchema, ExchangeSummary as SummarySchema } from '../../src/range/schemas.ts';

export type Me = Static<typeof MeSchema>;
export type Announcement = Static<typeof AnnouncementSchema>;
export type ExchangeSummary = Static<typeof SummarySchema>;
export type Exchange = Static<typeof ExchangeSchema>;
export type MyLesson = MyLessonView;

export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly pageSize: number;
  readonly totalItems: number;
  readonly totalPages: number;
}

/** A refusal, as RFC 9457 has it. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly {
    readonly detail: string;
    readonly pointer?: string;
    readonly parameter?: string;
    readonly header?: string;
  }[];
}
