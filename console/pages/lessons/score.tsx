import type { CapstoneRun } from '../../api/types.ts';
import { Words } from '../../parts/contained.tsx';
import { Status } from '../../parts/parts.tsx';
import { exchanges } from '../../state/learner.ts';

type Fault = CapstoneRun['faults'][number];

export const states: Readonly<Record<CapstoneRun['state'], string>> = {
  on: 'Under way',
  completed: 'Reported, without a fault',
  reported: 'Reported',
  over: 'Not reported in time',
  ended: 'Ended early',
};

const kinds: Readonly<Record<Fault['kind'], string>> = {
  lost: 'Lost',
  doubled: 'Doubled',
  'out-of-order': 'Out of order',
  'wrong-state': 'In the wrong state',
  missing: 'Missing',
  'late-change': 'A late change missed',
  'skipped-night': 'A night not read',
  'wrong-sum': 'A wrong sum',
  stale: 'As it was before',
  unserved: 'Not served',
  wrong: 'Wrong',
  extra: 'Not asked for',
  overwritten: 'Overwritten',
  touched: 'Not to be touched',
  'without-if-match': 'Without If-Match',
  outage: 'An outage',
  'old-secret': 'The old secret',
  'after-the-end': 'After the end',
  'asked-again': 'Asked again',
  'not-dropped': 'Not dropped',
  'one-worker': 'One worker alone',
  'wrong-report': 'Wrong in the report',
  'no-report': 'Not reported',
};

/** What a run came to, with what went wrong in it, by kind. */
export function Score({ run: { number, level, state, score, faults } }: { readonly run: CapstoneRun }) {
  return (
    <section class="card" aria-label={`Score of run ${number}`}>
      <div class="row">
        {score !== null && (
          <span class={`score ${score === 100 ? 'full' : ''}`}>
            {score} <span class="small muted">of 100</span>
          </span>
        )}
        <span>
          <strong>
            Run {number}, level {level}.
          </strong>{' '}
          {states[state]}.
        </span>
      </div>
      {score === 100 && <p>Nothing was lost, doubled or wrong.</p>}
      {[...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, those]) => (
        <details key={kind} open={those.length <= 5} class="faults">
          <summary>
            {kinds[kind]}: {those.length}
          </summary>
          <ul>
            {those.map((fault) => (
              <li key={fault.subject}>
                <code>{fault.subject}</code> <Words text={fault.detail} />
                <Exchanges ids={fault.exchanges} />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function Exchanges({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <span class="row small">
      {ids.map((id) => {
        const known = exchanges.value.find((each) => each.id === id);
        return (
          <a key={id} href={`#/traffic/${encodeURIComponent(id)}`}>
            {known ? (
              <>
                {known.method} <Words text={known.route} /> <Status status={known.status} />
              </>
            ) : (
              `Call ${id.slice(0, 8)}`
            )}
          </a>
        );
      })}
    </span>
  );
}
