import { read } from '../../api/call.ts';
import { origin } from '../../api/session.ts';
import type { SignedCertificate } from '../../api/types.ts';
import { Paper } from '../../parts/certificate.tsx';
import { downloadText } from '../../parts/download.ts';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Button, Code, CopyButton, Notice, Show } from '../../parts/parts.tsx';
import { solved } from '../../state/learner.ts';
import { useLoad } from '../../state/load.ts';
import { BadgeSection } from './badge.tsx';
import { checkOf } from './certificate-check.ts';

export default function CertificatePage() {
  return (
    <Page title="Certificate" actions={<a href="#/lessons">All lessons</a>}>
      <NeedsClient>
        <Mine />
      </NeedsClient>
    </Page>
  );
}

function Mine() {
  const loaded = useLoad(
    () => read<SignedCertificate>('/range/v1/me/certificate', { headers: { Accept: 'application/json' } }),
    [solved.value],
  );
  return <Show loaded={loaded}>{(signed) => <Certificate signed={signed} />}</Show>;
}

function Certificate({ signed: { certificate, jws } }: { readonly signed: SignedCertificate }) {
  const { nickname, lessons } = certificate;
  return (
    <>
      {lessons.length === 0 && (
        <Notice mood="note">
          <p>
            Nothing is solved yet, so this says little. <a href="#/lessons">Begin with a lesson.</a>
          </p>
        </Notice>
      )}
      <p class="row">
        <Button kind="primary" onPress={() => print()}>
          Print
        </Button>
        <Button onPress={() => downloadText('certificate.jws', jws, 'application/jose')}>
          Download the signed form
        </Button>
        <CopyButton large text={jws} label="Copy the signed form" />
      </p>
      {nickname === null && (
        <p class="small muted">
          It shows your client_id, since you have no nickname. You can choose one on the page <a href="#/">Start</a>.
        </p>
      )}
      <Paper certificate={certificate} />
      <BadgeSection certificate={certificate} />
      <section class="prose">
        <h2>How to check it</h2>
        <p>
          The signed form is a JWS (ES256), a text of three parts. Whoever has the address of this{' '}
          <span class="nowrap">L-Plate</span> can check it with the keys at{' '}
          <a href="/.well-known/jwks.json">/.well-known/jwks.json</a>, with any JWT library. Without one, download it,
          and run this with Node.js 20 or newer as <code>check.mjs</code>:
        </p>
        <Code text={checkOf(origin)} label="A program that checks the certificate" />
        <p>
          It prints true and what the certificate says, or false if a character of it was changed. In the header{' '}
          <code>typ</code> is <code>lplate-certificate+jwt</code>, so it can’t be taken for a token.
        </p>
      </section>
    </>
  );
}
