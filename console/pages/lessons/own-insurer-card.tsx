import { stagesOf } from '../../api/stages.ts';
import type { ExaminedStage } from '../../api/types.ts';
import { standingOf } from '../../model/own-insurer.ts';
import { Show } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { isSomebody } from './my-lessons.ts';
import { Bar } from './progress.tsx';

/** How many stages passed, and which is next. */
export function OwnStanding({ stages }: { readonly stages: readonly ExaminedStage[] }) {
  const { passed, of, next } = standingOf(stages);
  return (
    <>
      <p>
        <strong>
          {passed} of {of} stages passed.
        </strong>{' '}
        {next && (
          <>
            Next: <code>{next.stage}</code>. {next.goal}
          </>
        )}
      </p>
      {passed > 0 && <Bar part={passed} of={of} label="Stages that passed" />}
    </>
  );
}

/** Leads to the page. */
export function OwnInsurerCard() {
  const mine = isSomebody();
  const loaded = useLoad(async () => (mine ? stagesOf() : []), [mine]);
  return (
    <section class="card" aria-labelledby="own-insurer">
      <h2 id="own-insurer">
        <a href="#/lessons/own-insurer">Build your own insurer</a>
      </h2>
      <p>The other side of the counter: write the insurer yourself, stage by stage, and L-Plate checks it.</p>
      {mine && (
        <Show loaded={loaded}>
          {(stages) => (stages.some(({ outcome }) => outcome) ? <OwnStanding stages={stages} /> : null)}
        </Show>
      )}
    </section>
  );
}
