import { brunoCollection } from '../../model/bruno.ts';
import type { CallInputs } from '../../model/first-calls.ts';
import { insomniaCollection } from '../../model/insomnia.ts';
import { postmanCollection } from '../../model/postman.ts';
import { downloadText } from '../../parts/download.ts';
import { Button } from '../../parts/parts.tsx';

const files = [
  {
    name: 'Postman',
    file: 'l-plate.postman_collection.json',
    write: postmanCollection,
    how: 'Import, then choose the file.',
  },
  {
    name: 'Insomnia',
    file: 'l-plate.insomnia.json',
    write: insomniaCollection,
    how: 'Import, then choose the file. Version 9.3 or newer.',
  },
  {
    name: 'Bruno',
    file: 'l-plate.bruno.json',
    write: brunoCollection,
    how: 'Import Collection, then choose the file.',
  },
] as const;

export function ImportFiles({ inputs }: { readonly inputs: CallInputs }) {
  return (
    <section aria-labelledby="files">
      <h2 id="files">A file for your tool</h2>
      <p>
        Token, policies, claims, events, the signed check and SOAP, one request each, with your credentials and a
        vehicle of your own. The first request keeps the token for the others. Only the variable{' '}
        <code>hmac_secret</code> is empty: the signed check needs it. L-Plate printed it at its start; in a class, ask
        your trainer.
      </p>
      <ul class="files">
        {files.map(({ name, file, write, how }) => (
          <li key={name} class="card">
            <strong>{name}</strong>
            <span class="muted small">{how}</span>
            <Button label={`Download the file for ${name}`} onPress={() => downloadText(file, write(inputs))}>
              Download
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
