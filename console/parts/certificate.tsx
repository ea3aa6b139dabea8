import { capstonesDone } from '../../src/range/lessons/circumstances.ts';
import type { SignedCertificate } from '../api/types.ts';
import { isLasting } from '../model/lasting-address.ts';
import { levels } from '../model/lesson-path.ts';
import { dateText } from '../model/when.ts';
import { Words } from './contained.tsx';

/** Lessons above which they are printed small, so that they fit on a page. */
const manyLessons = 24;

interface PaperProps {
  readonly certificate: SignedCertificate['certificate'];
  /** What the course is called, if there was one. */
  readonly course?: string;
  readonly trainer?: string;
}

/** A certificate as it is printed: one page of A4. */
export function Paper({ certificate, course, trainer }: PaperProps) {
  const { sub, iat, iss, nickname, lessons, of, capstones, circumstances } = certificate;
  const name = nickname ?? sub;
  return (
    <article
      class={lessons.length > manyLessons ? 'certificate dense' : 'certificate'}
      aria-label={`Certificate of ${name}`}
    >
      <p class="plate" aria-hidden="true">
        L
      </p>
      <p class="certificate-title">Certificate</p>
      <p class="certificate-name">
        <Words text={name} />
      </p>
      <p>
        solved {lessons.length} of the {of} lessons of <span class="nowrap">L-Plate</span>, a synthetic motor insurer to
        practise API integration on.
      </p>
      {course && (
        <p>
          <strong>
            In the course <Words text={course} />
          </strong>
        </p>
      )}
      {capstones.length > 0 && (
        <>
          <p class="certificate-part">{capstonesDone}</p>
          <ul class="plain">
            {capstones.map(({ id, title, level, completedAt }) => (
              <li key={id}>
                {title}, level {level}, <Day at={completedAt} />
              </li>
            ))}
          </ul>
        </>
      )}
      {[...Map.groupBy(lessons, ({ level }) => level)]
        .sort(([a], [b]) => a - b)
        .map(([level, those]) => (
          <div key={level}>
            <p class="certificate-part">
              Lessons of level {level}: {levels[level]}
            </p>
            <ul class="plain certified">
              {those.map(({ id, title, solvedAt }) => (
                <li key={id} class="row ends">
                  <Words text={title} />
                  <span class="small muted">
                    <Day at={solvedAt} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        ))}
      {circumstances.words.length > 0 && <p class="small muted certificate-foot">{circumstances.words.join(' ')}</p>}
      {trainer && (
        <p class="certificate-trainer">
          <Words text={trainer} />
          <span class="small muted">Trainer</span>
        </p>
      )}
      <p class="small muted certificate-foot">
        Issued by <span class="nowrap">L-Plate</span> on <Day at={new Date(iat * 1000).toISOString()} /> to{' '}
        <Words text={sub} />
        {isLasting(iss) && <> · {new URL(iss).origin}</>}
      </p>
    </article>
  );
}

const Day = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {dateText(new Date(at))}
  </time>
);
