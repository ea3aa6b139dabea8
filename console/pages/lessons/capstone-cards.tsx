import { counted } from '../../../src/text/counted.ts';
import { read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import type { Capstone, MyCapstone, Page as PageOf } from '../../api/types.ts';
import { countdown } from '../../model/duration.ts';
import { Badge, Show } from '../../parts/parts.tsx';
import { useEvery, useLoad } from '../../state/load.ts';
import { isSomebody } from './my-lessons.ts';
import { Text } from './text.tsx';

const pollEvery = 5000;

/** What was shown last: who comes back finds the page as long as it was. */
let last: { readonly of: string | undefined; readonly value: readonly (Capstone | MyCapstone)[] } | undefined;

/** All capstones, and how one did in them. `brief`: without what is to be done. */
export function CapstoneCards({ brief }: { readonly brief?: boolean }) {
  const Heading = brief ? 'h3' : 'h2';
  const mine = isSomebody();
  const of = mine ? credentials.value?.clientId : undefined;
  const loaded = useLoad<readonly (Capstone | MyCapstone)[]>(
    async () => {
      const options = mine ? {} : ({ as: 'nobody' } as const);
      const { items } = await read<PageOf<Capstone | MyCapstone>>(`/range/v1/${mine ? 'me/' : ''}capstones`, options);
      last = { of, value: items };
      return items;
    },
    [mine],
    last?.of === of ? last?.value : undefined,
  );
  useEvery(pollEvery, () => mine && loaded.state !== 'loading' && loaded.again());
  return (
    <Show loaded={loaded}>
      {(all) => (
        <div class={brief ? 'tiles topics' : 'tiles'}>
          {all.map((capstone) => (
            <article key={capstone.id} class="card">
              <Heading>
                <a href={`#/lessons/capstones/${encodeURIComponent(capstone.id)}`}>{capstone.title}</a>
              </Heading>
              <p class="row">
                {'on' in capstone && capstone.on && (
                  <Badge mood="warn">{`Under way, ${countdown(capstone.on.secondsLeft)} left`}</Badge>
                )}
                <Badge>{`${Math.round(capstone.seconds / 60)} minutes`}</Badge>
                {'runs' in capstone && <Standing capstone={capstone} />}
              </p>
              {!brief && (
                <p>
                  <Text text={capstone.goal} />
                </p>
              )}
            </article>
          ))}
        </div>
      )}
    </Show>
  );
}

/** How far one got with it, in a badge or two. */
export function Standing({ capstone: { bestScore, runs, completedAt, levelTwo } }: { readonly capstone: MyCapstone }) {
  return (
    <>
      {completedAt !== null ? (
        <Badge mood="good">✓ Completed</Badge>
      ) : (
        <Badge>{bestScore === null ? 'No score yet' : `Best score ${bestScore} of 100`}</Badge>
      )}
      {levelTwo.completedAt !== null ? (
        <Badge mood="good">✓ Level 2 completed</Badge>
      ) : (
        levelTwo.bestScore !== null && <Badge>{`Best score of level 2: ${levelTwo.bestScore}`}</Badge>
      )}
      {runs > 0 && <span class="small muted">{counted(runs, 'run')}</span>}
    </>
  );
}
