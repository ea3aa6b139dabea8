import { useState } from 'preact/hooks';
import { call, read } from '../../api/call.ts';
import type { Announcement, ClassInfo } from '../../api/types.ts';
import { Words } from '../../parts/contained.tsx';
import { Button, Choice, Field, Notice, Show, Time } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { Outcome, useWork } from './work.tsx';

const path = '/range/v1/trainer/announcement';
const maxCharacters = 1000;

const ends = [
  ['10', '10 minutes'],
  ['15', '15 minutes'],
  ['30', '30 minutes'],
  ['60', '1 hour'],
  ['', 'Never'],
] as const;

type End = (typeof ends)[number][0];

/** What every learner sees at the top of each page, until it is removed. */
export function AnnouncementControl() {
  const shown = useLoad(readAnnouncement, []);
  const [text, setText] = useState('');
  const [minutes, setMinutes] = useState<End>('');
  const work = useWork();
  const characters = [...text].length;
  const publish = () =>
    work.attempt(async () => {
      await call('PUT', path, { as: 'trainer', json: { text, ...(minutes && { minutes: Number(minutes) }) } });
      setText('');
      shown.again();
      return 'Learners see it within seconds.';
    });
  const remove = () =>
    work.attempt(async () => {
      await call('DELETE', path, { as: 'trainer' });
      shown.again();
      return 'It is removed.';
    });
  return (
    <section class="card">
      <h2>Announcement</h2>
      <Show loaded={shown}>
        {(announcement) =>
          announcement === null ? (
            <p class="muted">Nothing is announced.</p>
          ) : (
            <>
              <Notice mood="note">
                Since <Time at={announcement.publishedAt} withDate />
                {announcement.endsAt && (
                  <>
                    , until <Time at={announcement.endsAt} withDate />
                  </>
                )}
                <p class="announcement">
                  <Words text={announcement.text} />
                </p>
              </Notice>
              <p>
                <Button onPress={remove}>Remove the announcement</Button>
              </p>
            </>
          )
        }
      </Show>
      <Field
        label="Text"
        value={text}
        onInput={setText}
        lines={3}
        about={`Every learner sees it at the top of each page, and it is on the wall. ${characters} of ${maxCharacters} characters.`}
      />
      <Choice label="Remove after" value={minutes} options={ends} onChange={setMinutes} />
      <Button kind="primary" disabled={characters === 0 || characters > maxCharacters} onPress={publish}>
        Announce
      </Button>
      <Outcome work={work} />
    </section>
  );
}

/** Null if there is none. The announcement itself would be 404 then, which a browser shows as an error. */
export async function readAnnouncement(): Promise<Announcement | null> {
  return (await read<ClassInfo>('/range/v1/trainer/class', { as: 'trainer' })).announcement;
}
