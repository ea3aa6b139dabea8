import { send } from '../../api/call.ts';
import { fileMoment } from '../../model/file-moment.ts';
import { download } from '../../parts/download.ts';
import { Button } from '../../parts/parts.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

/** What the interface calls it, what it is, and what its columns say. */
const contents = [
  [
    'learners',
    'Learners',
    'One line for each learner: client id, nickname, first and last call, number of calls and of refusals, the last problem.',
  ],
  [
    'lessons',
    'Lessons',
    'One line for each learner: how many lessons are solved, of how many, and hints taken; then a column for each lesson, named by its id, with the time when it was solved, or nothing.',
  ],
  [
    'exchanges',
    'Calls',
    'One line for each call of the last day, 300 for each learner at the most: who, when, method and URL, route (the address without ids), status, milliseconds, how it ended, the problem, and remarks.',
  ],
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
      {contents.map(([content, what, columns]) => (
        <div key={content} class="export">
          <p class="small">
            <strong>{what}.</strong> {columns}
          </p>
          <div class="row">
            {forms.map(([form, formName, path]) => (
              <Button
                key={form}
                onPress={() => work.attempt(() => save(`${path}?content=${content}`, what.toLowerCase(), form))}
              >
                {`${what} as ${formName}`}
              </Button>
            ))}
          </div>
        </div>
      ))}
      <p class="small muted">
        The files are named after what they are and the time of the export. Times in them are UTC, as the interface has
        them.
      </p>
      <Outcome work={work} />
    </section>
  );
}

/** A link could not carry the token, so the bytes are fetched first. */
async function save(path: string, what: string, form: 'csv' | 'json'): Promise<string> {
  const response = await send('GET', `/range/v1/trainer${path}`, { as: 'trainer' });
  const name = `${what}-${fileMoment(new Date())}.${form}`;
  const file = await response.blob();
  // By this mark a spreadsheet knows that it is UTF-8.
  download(name, form === 'csv' ? new Blob(['\uFEFF', file], { type: file.type }) : file);
  return `${name} is saved.`;
}
