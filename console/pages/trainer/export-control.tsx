import { send } from '../../api/call.ts';
import { fileMoment } from '../../model/file-moment.ts';
import { download } from '../../parts/download.ts';
import { Button } from '../../parts/parts.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

const contents = [
  ['learners', 'Learners'],
  ['lessons', 'Lessons'],
  ['exchanges', 'Calls'],
] as const;

const forms = [
  ['csv', 'CSV', '/export.csv'],
  ['json', 'JSON', '/export'],
] as const;

/** Saves who was there, what they solved, and what they called. */
export function ExportControl() {
  const work = useWork();
  return (
    <section class="card">
      <h2>Export</h2>
      <p>
        Learners: who was there, with calls, refusals and the last problem. Lessons: what each learner solved, and when.
        Calls: each call that is kept, in short.
      </p>
      <div class="exports">
        {contents.flatMap(([content, what]) =>
          forms.map(([form, formName, path]) => (
            <Button
              key={content + form}
              onPress={() => work.attempt(() => save(`${path}?content=${content}`, content, form))}
            >
              {`${what} as ${formName}`}
            </Button>
          )),
        )}
      </div>
      <Outcome work={work} />
    </section>
  );
}

/** A link could not carry the token, so the bytes are fetched first. */
async function save(path: string, content: string, form: 'csv' | 'json'): Promise<string> {
  const response = await send('GET', `/range/v1/trainer${path}`, { as: 'trainer' });
  const name = `${content}-${fileMoment(new Date())}.${form}`;
  const file = await response.blob();
  // By this mark a spreadsheet knows that it is UTF-8.
  download(name, form === 'csv' ? new Blob(['\uFEFF', file], { type: file.type }) : file);
  return `${name} is saved.`;
}
