import { useState } from 'preact/hooks';
import { send } from '../../api/call.ts';
import type { SignedCertificate } from '../../api/types.ts';
import { download } from '../../parts/download.ts';
import { Button, Failure } from '../../parts/parts.tsx';

const forms = [
  { name: 'badge.svg', type: 'image/svg+xml', label: 'Download it as SVG' },
  { name: 'badge.png', type: 'image/png', label: 'Download it as PNG' },
  { name: 'badge.jwt', type: 'application/vc+jwt', label: 'Download it as text' },
] as const;

/** The certificate as a badge, which others can check, and its fields at LinkedIn. */
export function BadgeSection({ certificate }: { readonly certificate: SignedCertificate['certificate'] }) {
  const [error, setError] = useState<Error>();
  const save = async ({ name, type }: (typeof forms)[number]) => {
    setError(undefined);
    try {
      const answer = await send('GET', '/range/v1/me/badge', { headers: { Accept: type } });
      if (!answer.ok) throw new Error(`The service answered ${answer.status}. Try again.`);
      download(name, new Blob([await answer.arrayBuffer()], { type }));
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <section class="prose">
      <h2>The same as a badge</h2>
      <p>
        A badge by Open Badges 3.0 is a picture, or a text, that has all of this inside and is signed. Others check it
        without this service: on the page <a href="#/verify">Check a badge</a>, or with a tool of their own.
      </p>
      <p class="row">
        {forms.map((form) => (
          <Button key={form.name} onPress={() => save(form)}>
            {form.label}
          </Button>
        ))}
      </p>
      {error && <Failure error={error} />}
      <p>
        <a href={linkedIn(certificate)} target="_blank" rel="noopener noreferrer">
          Add it to your profile at LinkedIn
        </a>
        : the fields are filled in, and you send them yourself.
      </p>
    </section>
  );
}

function linkedIn({ iat, sub }: SignedCertificate['certificate']): string {
  const issued = new Date(iat * 1000);
  const fields = new URLSearchParams({
    startTask: 'CERTIFICATION_NAME',
    name: 'API integration (L-Plate)',
    organizationName: 'L-Plate',
    issueYear: String(issued.getUTCFullYear()),
    issueMonth: String(issued.getUTCMonth() + 1),
    certId: sub,
  });
  return `https://www.linkedin.com/profile/add?${fields}`;
}
