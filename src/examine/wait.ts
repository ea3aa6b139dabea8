/**
 * What a step waits for, and so more than a call. Each wait is bounded: where the reference does not get there, the row
 * shows nothing, and your side has a little longer than the reference.
 *
 * - `value`: called again until the answer has this at a place
 * - `events`: a batch, called again until it has so many events
 * - `answer`: both sides are called at the same time; yours has to answer as soon
 * - `batches`: batch after batch by `next`, each of at most `limit` events, until there are so many in all
 * - `stream`: both sides at the same time, until so many events came; with none, for a moment
 * - `deliveries`: no call, but those that a hook of the row got, signed with these kept secrets; with none, those by now
 */
export type Wait =
  | { readonly for: 'value'; readonly place: string; readonly is: string }
  | { readonly for: 'events'; readonly count: number }
  | { readonly for: 'answer' }
  | { readonly for: 'batches'; readonly count: number; readonly limit: number }
  | { readonly for: 'stream'; readonly count: number }
  | { readonly for: 'deliveries'; readonly count: number; readonly secrets: readonly string[] };
