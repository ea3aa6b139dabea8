import { Code, Notice } from '../../parts/parts.tsx';
import { Fingerprint } from '../../parts/trust-authority.tsx';
import { authority } from '../../state/service.ts';
import { type ToolId, tools } from './first-calls.ts';
import { trustLines } from './trust.ts';

interface TrustProps {
  readonly tool: ToolId;
  readonly origin: string;
}

/** The step before the first calls, where the service has an authority that no machine trusts yet. */
export function Trust({ tool, origin }: TrustProps) {
  const own = authority.value;
  if (!own) return null;
  const { name } = tools.find(({ id }) => id === tool) as (typeof tools)[number];
  return (
    <>
      <h3>1. Trust this service, once</h3>
      <p>
        It speaks HTTPS with a certificate of its own class authority, which no tool knows. Fetch that certificate, and
        compare the fingerprint with the one that your trainer shows.
      </p>
      {tool === 'curl' && (
        <p class="small muted">
          If curl on Windows complains about revocation, write <code>--ssl-no-revoke</code> after{' '}
          <code>--cacert lplate-ca.pem</code>.
        </p>
      )}
      <Code text={trustLines(tool, origin)} label={`How ${name} trusts the class authority`} />
      <Notice mood="note">
        <p>
          For browsers and other tools see <Fingerprint authority={own} origin={origin} />
        </p>
      </Notice>
      <h3>2. The calls</h3>
    </>
  );
}
