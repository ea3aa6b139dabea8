import { curlJson as json, type ProblemEntry } from '../http/problems/problem-entry.ts';
import { retentionDays } from './retention.ts';

/**
 * For examples that move the clock of a client: a new client, and commands that get a token of it and move its clock. A
 * token may have expired with each move.
 */
export const curlOwnClock = `CLIENT=$(curl -s -X POST "$ROOT/insurer/v1/demo-clients")
bearer() {
  echo "Authorization: Bearer $(curl -s "$ROOT/insurer/v1/auth/token" ${json} -d "$CLIENT" |
    sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')"
}
later() { curl -s "$ROOT/range/v1/me/clock" ${json} -H "$(bearer)" -d '{"advance":"'$1'"}'; }
`;

export const problems = {
  'cursor-expired': {
    status: 410,
    title: 'The cursor is older than the events that are kept',
    meaning: `Events are kept for ${retentionDays} days. Some events after this cursor are gone, so you can’t go on from it.`,
    cause: `Your consumer was away for more than ${retentionDays} days. In the example it is away by the clock of its client.`,
    remedy:
      'Read one batch with `after=latest` and keep its `next`. Read the current data (the `detail` says how), then go on from that cursor.',
    example: `${curlOwnClock}later P${retentionDays + 1}D
curl -i "$BASE/topics/claims.status-changed?after=0-2" -H "$(bearer)"`,
    base: '/claims/v1',
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
