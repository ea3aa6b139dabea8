import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../http/problems/problem-entry.ts';
import { keptDays, keptPerClient } from './policy-import.ts';
import * as statements from './statements/statement.ts';

export const problems = {
  'invalid-signature': {
    status: 401,
    title: 'The signature does not fit the body',
    meaning: '`X-Signature` is missing, or is not the hexadecimal HMAC-SHA256 of the exact bytes of the body.',
    cause:
      'Most often you signed other bytes than you sent (a line end, other spaces), or used another key. The `detail` says what was found.',
    remedy: 'Make the body once, sign those bytes, send those bytes. With curl, use `--data-binary` and a file.',
    example: `curl -i "$BASE/signed/policy-check" ${json} \\
  -H 'X-Signature: 00' -d '{"regNumber":"AB-1234"}'`,
    challenge: 'Signature realm="lplate", algorithm="hmac-sha256", headers="x-signature"',
  },
  'policy-not-found': {
    status: 404,
    title: 'No such policy',
    meaning: 'You have no policy with this id. For a policy of another client, the answer is the same.',
    cause:
      'The id is wrong, the token belongs to another client than the policy, or the demo client was removed with its policies.',
    remedy: 'Take the id from the answer that created the policy, or from `GET /policies`.',
    example: `curl -i "$BASE/policies/pol-none" ${bearer}`,
  },
  'import-not-found': {
    status: 404,
    title: 'No such import',
    meaning: 'You have no import with this id. For an import of another client, the answer is the same.',
    cause: `The id is wrong, the token belongs to another client, or the import is gone: it was completed ${keptDays} days ago, or ${keptPerClient} newer ones came.`,
    remedy: 'Take the id from the answer that accepted the import, or from `GET /policy-imports`.',
    example: `curl -i "$BASE/policy-imports/imp-none" ${bearer}`,
  },
  'statement-not-found': {
    status: 404,
    title: 'No such statement',
    meaning: 'You have no statement with this id. For a statement of another client, the answer is the same.',
    cause: `The id is wrong, the token belongs to another client, or the statement is gone: it was completed ${statements.keptDays} days ago, or ${statements.keptPerClient} newer ones came.`,
    remedy: 'Take the id from the answer that accepted the statement, or make another one with `POST /statements`.',
    example: `curl -i "$BASE/statements/stm-none" ${bearer}`,
  },
  'statement-not-ready': {
    status: 409,
    title: 'The file is not made yet',
    meaning: 'The statement was accepted, and is not completed: it has no file so far.',
    cause: 'You asked for the file at once. Or the drill `late-statement` was on when you asked for the statement.',
    remedy: 'Read the statement, and wait for the seconds in `Retry-After`, until its `status` is `completed`.',
    example: `curl -s -o /dev/null "\${BASE%/*/*}/range/v1/me/drills" ${bearer} \\
  ${json} -d '{"name":"late-statement"}'
STATEMENT=$(curl -s "$BASE/statements" ${bearer} \\
  ${json} -d '{"month":"2026-01","format":"csv"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -s -o /dev/null -X DELETE "\${BASE%/*/*}/range/v1/me/drills/late-statement" ${bearer}
curl -i "$BASE/statements/$STATEMENT/content" ${bearer}`,
  },
  'erasure-not-found': {
    status: 404,
    title: 'No such erasure',
    meaning: 'You have no erasure with this id. For an erasure of another client, the answer is the same.',
    cause: `The id is wrong, the token belongs to another client, or the erasure is gone: it was completed ${keptDays} days ago, or ${keptPerClient} newer ones came.`,
    remedy: 'Take the id from the answer that accepted the erasure.',
    example: `curl -i "$BASE/erasures/era-none" ${bearer}`,
  },
  'duplicate-policy': {
    status: 409,
    title: 'The vehicle is already insured',
    meaning:
      'There is already a policy in force for this vehicle, and a vehicle can have only one. The answer does not say who owns it.',
    cause:
      'You, or another client, created a policy for this registration number. `DU-4090` and `du4090` are the same vehicle.',
    remedy: 'Use another registration number. If the policy is yours, cancel it first.',
    example: `curl -s -o /dev/null "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"DU-4090"}'
curl -i "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"du4090"}'`,
  },
  'policy-immutable': {
    status: 409,
    title: 'The policy can’t be changed any more',
    meaning: 'You can’t change a policy that is cancelled or expired.',
    cause: 'The policy was cancelled, or its last day of cover is over.',
    remedy: 'Create a new policy for the vehicle. To cancel a cancelled policy again is fine and changes nothing.',
    example: `POLICY=$(curl -s "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"'$PLATE'"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -s -o /dev/null -X POST "$BASE/policies/$POLICY/cancel" ${bearer}
curl -i -X PUT "$BASE/policies/$POLICY" ${bearer} \\
  ${json} -d '{"holder":"Ada Example"}'`,
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
