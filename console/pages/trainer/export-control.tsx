import { send } from '../../api/call.ts';
import { download } from '../../parts/download.ts';
import { Button } from '../../parts/parts.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

const files = [
  { name: 'learners.csv', path: '/export.csv', what: 'Learners as CSV' },
  { name: 'learners.json', path: '/export', what: 'Learners as JSON' },
  { name: 'exchanges.csv', path: '/export.csv?content=exchanges', what: 'With calls as CSV' },
  { name: 'exchanges.json', path: '/export?content=exchanges', what: 'With calls as JSON' },
] as const;

/** Saves who was there, and on demand what they called. */
export function ExportControl() {
  const work = useWork();
  return (
    <section class="card">
      <h2>Export</h2>
      <p>Who was there, with calls, refusals and the last problem. With calls: each call that is kept, in short.</p>
      <div class="row">
        {files.map((file) => (
          <Button key={file.name} onPress={() => work.attempt(() => save(file))}>
            {file.what}
          </Button>
        ))}
      </div>
      <Outcome work={work} />
    </section>
  );
}

/** A link could not carry the token, so the bytes are fetched first. */
async function save({ name, path }: (typeof files)[number]): Promise<string> {
  const response = await send('GET', `/range/v1/trainer${path}`, { as: 'trainer' });
  download(name, await response.blob());
  return `${name} is saved.`;
}
