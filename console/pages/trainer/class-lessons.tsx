import { counted } from '../../../src/text/counted.ts';
import { read } from '../../api/call.ts';
import type { ClassInfo } from '../../api/types.ts';
import { Words } from '../../parts/contained.tsx';
import { Badge, Show } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';

/** The lessons of the class: where they were chosen, and which they are. */
export function ClassLessons() {
  const loaded = useLoad(() => read<ClassInfo>('/range/v1/trainer/class', { as: 'trainer' }), []);
  return <Show loaded={loaded}>{(info) => <Chosen info={info} />}</Show>;
}

function Chosen({ info: { lessonsFile, lessons, ownLessons, topics } }: { readonly info: ClassInfo }) {
  return (
    <>
      <p class="summary class-head">
        <strong>{counted(lessons, 'lesson')}</strong>
        <span>
          {lessonsFile === null ? (
            'all lessons, no file chosen'
          ) : (
            <>
              from{' '}
              <strong>
                <Words text={lessonsFile} />
              </strong>
            </>
          )}
        </span>
        {ownLessons > 0 && <Badge mood="note">{ownLessons} of your own</Badge>}
      </p>
      <p class="muted prose">
        In the order in which learners meet them; capstones are always there besides. To choose others, start with{' '}
        <code>npm start -- --class --lessons class.json</code>:{' '}
        <a href="#/guides/lessons/for-trainers">the guide to lessons</a> says what such a file has. The ids are those
        that it names.
      </p>
      <ol class="class-topics">
        {topics.map(({ id, title, lessons: those }) => (
          <li key={those[0]?.id}>
            <h2>
              <Words text={title} /> <code>{id}</code>{' '}
              <span class="muted small">{counted(those.length, 'lesson')}</span>
            </h2>
            <ul>
              {those.map((lesson) => (
                <li key={lesson.id}>
                  <a href={`#/lessons/${encodeURIComponent(lesson.id)}`}>
                    <Words text={lesson.title} />
                  </a>{' '}
                  <code class="small">{lesson.id}</code> {lesson.own && <Badge mood="note">your own</Badge>}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </>
  );
}
