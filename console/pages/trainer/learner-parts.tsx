import { contained } from '../../../src/text/contained-text.ts';
import type { TreatedLearner } from '../../api/types.ts';
import type { Silence } from '../../model/need.ts';
import { Foreign, Words } from '../../parts/contained.tsx';
import { Time } from '../../parts/parts.tsx';

export const learnerPath = (clientId: string) => `#/trainer/learners/${encodeURIComponent(clientId)}`;

/** A nickname is whatever somebody typed: it stays within itself, whichever way it runs. */
export function LearnerName({ name }: { readonly name: string }) {
  return <bdi class="learner-name">{contained(name)}</bdi>;
}

interface SilenceProps {
  readonly silent: Silence;
  /** How long ago the reset was: `12 min ago`. */
  readonly resetFor: string;
}

/** Since when a learner is silent, and what it did last. */
export function LearnerSilence({ silent: { since, isLong, lastCall, wasReset }, resetFor }: SilenceProps) {
  if (wasReset && !lastCall) return <>No call since the reset {resetFor}.</>;
  return (
    <>
      Silent since <Time at={since} withDate={isLong} />.{' '}
      {lastCall ? (
        <>
          The last call: <LearnerCall call={lastCall} withDate={isLong} />
        </>
      ) : (
        'It joined, and has made no call of its own.'
      )}
    </>
  );
}

type Warnings = TreatedLearner['warnings'];

export const warningTitles: Readonly<Record<Warnings[number]['kind'], string>> = {
  removal: 'About to be removed',
  clock: 'Wrong clock',
  'two-clients': 'Two clients',
  'same-nickname': 'Same nickname',
  unattributed: 'Calls of nobody',
};

/** What makes it hard for a learner to get on. */
export function LearnerWarnings({ warnings }: { readonly warnings: Warnings }) {
  return (
    <>
      {warnings.map(({ kind, detail }) => (
        <div key={detail} class="small miss">
          <strong>{warningTitles[kind]}:</strong> <Words text={detail} />
        </div>
      ))}
    </>
  );
}

interface CallProps {
  readonly call: NonNullable<TreatedLearner['lastCall']>;
  readonly withDate?: boolean;
}

/** What a learner called, what came of it, and when. */
export function LearnerCall({ call: { at, method, path, status, problem }, withDate = false }: CallProps) {
  return (
    <>
      <code>
        {method} <Foreign text={path} most={80} />
      </code>{' '}
      → {status}
      {problem && ` ${problem}`}, <Time at={at} withDate={withDate} />
    </>
  );
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
