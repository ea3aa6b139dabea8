/*
 * An import of policies: a draft on each line, worked off in groups. It is `accepted` until its first group is done, then
 * `running`, then `completed`. Rows come to be `created` or `refused`; until then they are `waiting`.
 */
import Type, { type Static } from 'typebox';
import type { FieldError, ProblemIdentifier } from '../http/problems/problem.ts';
import { OptionalPageQuery, PageOf } from '../http/requests/paging.ts';
import { enumeration } from '../text/enumeration.ts';

/** Lines of an import that are not blank, at most. */
export const maxLines = 1000;

/** Days of the client's clock for which an import is kept once it is completed. */
export const keptDays = 7;

/** Imports of one client that are kept. */
export const keptPerClient = 20;

/** Rows that one transaction does, so that nobody waits long for it. */
export const groupSize = 20;

/** What `Retry-After` says at most. */
export const mostSeconds = 60;

/** Rows that are done in a second without the drill, by a cautious estimate. */
const rowsPerSecond = 250;

const importStatuses = ['accepted', 'running', 'completed'] as const;
export type ImportStatus = (typeof importStatuses)[number];

const rowStatuses = ['created', 'refused', 'waiting'] as const;
export type RowStatus = (typeof rowStatuses)[number];

const importStatus = enumeration('PolicyImportStatus', importStatuses, 'The states of an import.');
const rowStatus = enumeration('PolicyImportRowStatus', rowStatuses, 'What became of a row.');

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });

export const PolicyImport = Type.Object(
  {
    id: Type.String({
      pattern: '^imp-',
      description: 'Identifies the import; begins with imp-.',
      examples: ['imp-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'],
    }),
    status: importStatus('completed is final: each row is created or refused.', 'accepted'),
    total: count('Rows that were sent.', 2),
    done: count('Rows that were worked off: created and refused.', 0),
    created: count('Rows that became policies.', 0),
    refused: count('Rows that did not.', 0),
    createdAt: Type.String({
      format: 'date-time',
      description: 'When the import was accepted.',
      examples: ['2026-03-02T10:15:30.000Z'],
    }),
    completedAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When its last row was done; null until then.',
      examples: [null],
    }),
  },
  { $id: 'PolicyImport', description: 'An import of policies.' },
);

const RowProblem = Type.Object(
  {
    type: Type.String({ description: 'The page of the problem.', examples: ['duplicate-policy'] }),
    title: Type.String({ description: 'What kind of problem it is.', examples: ['The vehicle is already insured'] }),
    status: Type.Integer({ description: 'The status that POST /policies would have.', examples: [409] }),
    detail: Type.String({ description: 'What is wrong with the row.', examples: ['Use another registration number.'] }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.Optional(Type.String({ description: 'The member of the row.', examples: ['/regNumber'] })),
          detail: Type.String({ description: 'What is wrong with it.', examples: ['is missing.'] }),
        }),
        { description: 'Each thing that is wrong with the row.' },
      ),
    ),
  },
  { $id: 'PolicyImportRowProblem', description: 'Why a row was refused.' },
);

const PolicyImportRow = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: 'The line of the body that was sent, from 1.', examples: [1] }),
    status: rowStatus('waiting until the import comes to it.', 'created'),
    policyId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The policy that it became.',
      examples: ['pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'],
    }),
    problem: Type.Optional(RowProblem),
  },
  { $id: 'PolicyImportRow', description: 'What became of one line.' },
);

export const PolicyImportList = PageOf(PolicyImport, 'PolicyImportList');
export const PolicyImportRowList = PageOf(PolicyImportRow, 'PolicyImportRowList', 'In the order of their lines.');

export const PolicyImportRowQuery = Type.Object({
  ...OptionalPageQuery.properties,
  status: Type.Optional(rowStatus('Only rows that this became of.', 'refused')),
});

export const ImportId = Type.Object({
  importId: Type.String({ description: 'The id of one of your imports; it begins with imp-.' }),
});

export type PolicyImport = Static<typeof PolicyImport>;
export type PolicyImportRow = Static<typeof PolicyImportRow>;

/** Why a row was refused, as it is kept: what its words are made of when it is told. */
export type KeptRefusal =
  /** The line itself, which says what is wrong with it. */
  | { readonly sent: string }
  | { readonly identifier: 'duplicate-policy'; readonly regNumber: string }
  | { readonly identifier: 'validation-error'; readonly errors: readonly FieldError[] }
  | { readonly identifier: ProblemIdentifier; readonly detail: string };

/** What became of a row. */
export interface ImportRow {
  readonly line: number;
  readonly status: RowStatus;
  readonly policyId: string | null;
  readonly refusal?: KeptRefusal;
}

/** Tells whether an id has the form of ours. */
export function isImportId(id: string): boolean {
  return /^imp-[0-9a-f-]{36}$/.test(id);
}

export function statusOfImport({ done, total }: { done: number; total: number }): ImportStatus {
  if (done === total) return 'completed';
  return done === 0 ? 'accepted' : 'running';
}

/** Groups of rows that are left. */
export const groupsOf = (rows: number): number => Math.ceil(rows / groupSize);

/**
 * Seconds until `own` groups are done, at most a minute: then ask again. `levels` has the groups of those that take turns with
 * them: of other imports of the client, of other clients of the address, of other addresses. `groupSeconds` pass before each.
 */
export function secondsLeft(own: number, levels: readonly (readonly number[])[], groupSeconds: number): number {
  const turns = levels.reduce(
    (until, others) => others.reduce((sum, groups) => sum + Math.min(groups, until), until),
    own,
  );
  return Math.min(mostSeconds, own * groupSeconds + 1 + Math.floor((turns * groupSize) / rowsPerSecond));
}
