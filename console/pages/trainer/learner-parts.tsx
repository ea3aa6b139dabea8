import { contained } from '../../../src/text/contained-text.ts';

export const learnerPath = (clientId: string) => `#/trainer/learners/${encodeURIComponent(clientId)}`;

/** A nickname is whatever somebody typed: it stays within itself, whichever way it runs. */
export function LearnerName({ name }: { readonly name: string }) {
  return <bdi class="learner-name">{contained(name)}</bdi>;
}

/** How many of the lessons are solved. */
export function Progress({ solved, of }: { readonly solved: number; readonly of: number }) {
  return (
    <span class="learner-progress">
      <span>
        {solved}
        <span class="muted">/{of}</span>
      </span>
      <span class="bar" aria-hidden="true">
        <span style={{ width: of === 0 ? '0' : `${(100 * solved) / of}%` }} />
      </span>
    </span>
  );
}
