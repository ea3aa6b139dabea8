import { placeholders } from '../../../src/kits/placeholders.ts';
import { call } from '../../api/call.ts';
import type { Credentials } from '../../api/session.ts';
import { downloadText } from '../../parts/download.ts';
import { Button } from '../../parts/parts.tsx';
import { toast } from '../../state/toasts.ts';

const files = [
  { name: 'Postman', file: 'l-plate.postman_collection.json', how: 'Import, then choose the file.' },
  { name: 'Insomnia', file: 'l-plate.insomnia.json', how: 'Import, then choose the file. Version 9.3 or newer.' },
  { name: 'Bruno', file: 'l-plate.bruno.json', how: 'Import Collection, then choose the file.' },
  { name: 'IntelliJ IDEA', file: 'l-plate.http', how: 'Open it, or in VS Code with httpYac.' },
  { name: 'VS Code', file: 'l-plate.rest-client.http', how: 'Open it with the extension REST Client.' },
  { name: 'Hurl', file: 'l-plate.hurl', how: 'hurl --test l-plate.hurl' },
] as const;

/** The kit of the service with the learner’s credentials, whose calls all count as theirs. */
async function save(file: string, { clientId, clientSecret }: Credentials): Promise<void> {
  try {
    const { text } = await call('GET', `/for/${encodeURIComponent(clientId)}/kits/own/${file}`, { as: 'nobody' });
    const within = (value: string) => JSON.stringify(value).slice(1, -1);
    const filled = text
      .replaceAll(placeholders.id, () => within(clientId))
      .replaceAll(placeholders.secret, () => within(clientSecret));
    downloadText(file, filled, file.endsWith('.json') ? 'application/json' : 'text/plain');
  } catch (error) {
    toast('Not saved', (error as Error).message);
  }
}

export function ImportFiles({ client }: { readonly client: Credentials }) {
  return (
    <section aria-labelledby="files">
      <h2 id="files">A file for your tool</h2>
      <p>
        Token, policies, claims, events, the signed check and SOAP, one request each, with your credentials. The first
        request keeps the token for the others, and each run insures another vehicle where the tool can. Only the
        variable <code>hmac_secret</code> is empty: the signed check needs it. L-Plate printed it at its start; in a
        class, ask your trainer. <a href="/kits">Kits</a> has files for more tools.
      </p>
      <ul class="plain tiles files">
        {files.map(({ name, file, how }) => (
          <li key={name} class="card">
            <strong>{name}</strong>
            <span class="muted small">{how}</span>
            <Button label={`Download the file for ${name}`} onPress={() => save(file, client)}>
              Download
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
