// What the interfaces answer, as their own schemas have it.
import type { Static } from 'typebox';
import type {
  ClaimDraft,
  Claim as ClaimSchema,
  ClaimStatusChanged as ClaimStatusChangedSchema,
} from '../../src/claims/schemas.ts';
import type { Policy as PolicySchema } from '../../src/insurer/policy.ts';
import type {
  PolicyImportRowList as PolicyImportRowListSchema,
  PolicyImport as PolicyImportSchema,
} from '../../src/insurer/policy-import.ts';
import type { CoverageOptions as CoverageOptionsSchema } from '../../src/insurer/schemas.ts';
import type {
  Announcement as AnnouncementSchema,
  Fleet as FleetSchema,
  Me as MeSchema,
  NewSecret as NewSecretSchema,
  LearnerProfile as ProfileSchema,
  Transfer as TransferSchema,
  TreatedLearner as TreatedSchema,
} from '../../src/range/class/learner-schemas.ts';
import type { ClassInfo as ClassInfoSchema, ServiceInfo as ServiceInfoSchema } from '../../src/range/class/schemas.ts';
import type {
  SharedSecrets as SharedSecretsSchema,
  TransferList as TransferListSchema,
} from '../../src/range/class/trainer-schemas.ts';
import type {
  ClientClock as ClientClockSchema,
  MovedClocks as MovedClocksSchema,
} from '../../src/range/clocks/texts.ts';
import type { DrillKind as DrillKindSchema, Drill as DrillSchema } from '../../src/range/drills/schemas.ts';
import type {
  Exchange as ExchangeSchema,
  ExchangeSummary as SummarySchema,
} from '../../src/range/exchanges/schemas.ts';
import type { CapstoneRunView, CapstoneView, MyCapstoneView } from '../../src/range/lessons/capstones/schemas.ts';
import type {
  AnswerResult as AnswerResultSchema,
  LessonView,
  MyLessonView,
  SignedCertificate as SignedCertificateSchema,
  SolutionView,
  Standing as StandingSchema,
} from '../../src/range/lessons/schemas.ts';
import type { DeliveryView } from '../../src/webhooks/delivery-log.ts';
import type {
  Subscription as SubscriptionSchema,
  SubscriptionSecret as SubscriptionSecretSchema,
  SubscriptionWithSecret as SubscriptionWithSecretSchema,
} from '../../src/webhooks/schemas.ts';

export type ServiceInfo = Static<typeof ServiceInfoSchema>;
export type ClassInfo = Static<typeof ClassInfoSchema>;
export type Me = Static<typeof MeSchema>;
export type Announcement = Static<typeof AnnouncementSchema>;
export type ExchangeSummary = Static<typeof SummarySchema>;
export type Exchange = Static<typeof ExchangeSchema>;
export type Lesson = LessonView;
export type MyLesson = MyLessonView;
export type Solution = SolutionView;
export type AnswerResult = Static<typeof AnswerResultSchema>;
export type SignedCertificate = Static<typeof SignedCertificateSchema>;
export type Capstone = CapstoneView;
export type MyCapstone = MyCapstoneView;
export type CapstoneRun = CapstoneRunView;
export type Drill = Static<typeof DrillSchema>;
export type DrillKind = Static<typeof DrillKindSchema>;
export type ClientClock = Static<typeof ClientClockSchema>;
export type MovedClocks = Static<typeof MovedClocksSchema>;

/** What the trainer sees of a client: in the list of all, alone, and on the board of lessons. */
export type TreatedLearner = Static<typeof TreatedSchema>;
export type LearnerProfile = Static<typeof ProfileSchema>;
export type Transfer = Static<typeof TransferSchema>;
export type NewSecret = Static<typeof NewSecretSchema>;
export type TransferList = Static<typeof TransferListSchema>;
export type Standing = Static<typeof StandingSchema>;

export type SharedSecrets = Static<typeof SharedSecretsSchema>;

export type Policy = Static<typeof PolicySchema>;
export type PolicyImport = Static<typeof PolicyImportSchema>;
export type PolicyImportRow = Static<typeof PolicyImportRowListSchema>['items'][number];
export type CoverageOption = Static<typeof CoverageOptionsSchema>['options'][number];
export type Fleet = Static<typeof FleetSchema>;
export type Claim = Static<typeof ClaimSchema>;
export type ClaimStatusChanged = Static<typeof ClaimStatusChangedSchema>;
/** How a claim was asked to go. */
export type ClaimRequest = Required<Pick<Static<typeof ClaimDraft>, 'outcome' | 'paceSeconds'>>;
export type SubscriptionSecret = Static<typeof SubscriptionSecretSchema>;
export type Subscription = Static<typeof SubscriptionSchema>;
export type SubscriptionWithSecret = Static<typeof SubscriptionWithSecretSchema>;
/** Of the topic of claims. */
export type Delivery = DeliveryView & { readonly claimId: string };

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
  readonly instance: string;
  readonly detail: string;
  readonly errors?: readonly {
    readonly detail: string;
    readonly pointer?: string;
    readonly parameter?: string;
    readonly header?: string;
  }[];
}
