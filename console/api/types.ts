// What the interfaces answer, as their own schemas have it.
import type { ClaimDraft } from '../../src/claims/schemas.ts';
import type { Delivery as AnyDelivery } from '../../src/webhooks/schemas.ts';

export type { ClaimDocument } from '../../src/claims/documents/document.ts';
export type { Claim, ClaimStatusChanged } from '../../src/claims/schemas.ts';
export type { Erasure } from '../../src/insurer/erasure.ts';
export type { Policy } from '../../src/insurer/policy.ts';
export type { PolicyImport, PolicyImportRow } from '../../src/insurer/policy-import.ts';
export type { CoverageOption } from '../../src/insurer/schemas.ts';
export type { Statement } from '../../src/insurer/statements/statement.ts';
export type {
  Announcement,
  Fleet,
  LearnerProfile,
  Me,
  NewSecret,
  Transfer,
  TreatedLearner,
} from '../../src/range/class/learner-schemas.ts';
export type { ClassInfo, ServiceInfo } from '../../src/range/class/schemas.ts';
export type { SharedSecrets, TransferList } from '../../src/range/class/trainer-schemas.ts';
export type { ClientClock, MovedClocks } from '../../src/range/clocks/texts.ts';
export type { DrillKind, DrillView as Drill } from '../../src/range/drills/schemas.ts';
export type { ExaminedStageView as ExaminedStage } from '../../src/range/examinations/schemas.ts';
export type { Exchange, Summary as ExchangeSummary } from '../../src/range/exchanges/schemas.ts';
export type {
  CapstoneRunView as CapstoneRun,
  CapstoneView as Capstone,
  MyCapstoneView as MyCapstone,
} from '../../src/range/lessons/capstones/schemas.ts';
export type {
  AnswerResult,
  LessonView as Lesson,
  MyLessonView as MyLesson,
  SignedCertificateData as SignedCertificate,
  SolutionView as Solution,
  Standing,
} from '../../src/range/lessons/schemas.ts';
export type { Consent, Person } from '../../src/range/people/schemas.ts';
export type { Subscription, SubscriptionSecret, SubscriptionWithSecret } from '../../src/webhooks/schemas.ts';

/** How a claim was asked to go. */
export type ClaimRequest = Required<Pick<ClaimDraft, 'outcome' | 'paceSeconds'>>;
/** Of the topic of claims. */
export type Delivery = AnyDelivery & { readonly claimId: string };

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
