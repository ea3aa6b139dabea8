import { read } from '../../api/call.ts';
import type { SharedSecrets } from '../../api/types.ts';
import { CopyButton, Show } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';

/** What learners need and only the trainer has. They are not shown: the page may be on a wall. */
export function SecretsControl() {
  const loaded = useLoad(() => read<SharedSecrets>('/range/v1/trainer/secrets', { as: 'trainer' }), []);
  return (
    <section class="card">
      <h2>Shared secrets</h2>
      <p>For the signed check, and for the clients that all may use. Copy one, and give it to your learners.</p>
      <Show loaded={loaded}>
        {({ hmacSecret, clients }) => (
          <ul class="plain rows">
            <Secret name="HMAC_SECRET" value={hmacSecret} />
            {clients.map(({ clientId, clientSecret }) => (
              <Secret key={clientId} name={clientId} value={clientSecret} />
            ))}
          </ul>
        )}
      </Show>
    </section>
  );
}

function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <li class="row ends">
      <code>{name}</code>
      <CopyButton text={value} label={`Copy ${name}`} />
    </li>
  );
}
