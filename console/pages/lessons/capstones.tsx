import { read } from '../../api/call.ts';
import type { Capstone, MyCapstone, Page as PageOf } from '../../api/types.ts';
import { clockText } from '../../model/answers.ts';
import { Page } from '../../parts/page.tsx';
import { Badge, Show } from '../../parts/parts.tsx';
import { useEvery, useLoad } from '../../state/load.ts';
import { route } from '../../state/route.ts';
import { CapstonePage, Standing } from './capstone.tsx';
import { isSomebody } from './my-lessons.ts';
import { NoClient } from './path.tsx';
import { Text } from './text.tsx';

const pollEvery = 5000;

export default function Capstones() {
  const [, id = ''] = route.value.rest;
  return id === '' ? <All /> : <CapstonePage key={id} id={id} />;
}

function All() {
  const mine = isSomebody();
  const loaded = useLoad<readonly (Capstone | MyCapstone)[]>(async () => {
    const options = mine ? {} : ({ as: 'nobody' } as const);
    return (await read<PageOf<Capstone | MyCapstone>>(`/range/v1/${mine ? 'me/' : ''}capstones`, options)).items;
  }, [mine]);
  useEvery(pollEvery, () => mine && loaded.state !== 'loading' && loaded.again());
  return (
    <Page title="Capstones">
      <p class="small">
        <a href="#/lessons">Lessons</a> <span aria-hidden="true">›</span> Capstones
      </p>
      <p class="muted prose">
        A capstone takes several lessons at once, for two or three minutes. Your program works under hard conditions,
        and a score says what it got right. You can repeat each as often as you like.
      </p>
      {!mine && <NoClient />}
      <Show loaded={loaded}>
        {(all) => (
          <div class="columns capstones">
            {all.map((capstone) => (
              <article key={capstone.id} class="card">
                <h2>
                  <a href={`#/lessons/capstones/${encodeURIComponent(capstone.id)}`}>{capstone.title}</a>
                </h2>
                <p class="row">
                  {'on' in capstone && capstone.on && (
                    <Badge mood="warn">{`Under way, ${clockText(capstone.on.secondsLeft)} left`}</Badge>
                  )}
                  <Badge>{`${Math.round(capstone.seconds / 60)} minutes`}</Badge>
                  {'runs' in capstone && <Standing capstone={capstone} />}
                </p>
                <p>
                  <Text text={capstone.goal} />
                </p>
              </article>
            ))}
          </div>
        )}
      </Show>
    </Page>
  );
}
