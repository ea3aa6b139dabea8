import { read } from '../../api/call.ts';
import { origin } from '../../api/session.ts';
import type { SignedCertificate } from '../../api/types.ts';
import { checkOf } from '../../model/certificate-check.ts';
import { levels } from '../../model/lesson-path.ts';
import { downloadText } from '../../parts/download.ts';
import { Words } from '../../parts/foreign.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Button, Code, CopyButton, Notice, Show } from '../../parts/parts.tsx';
import { solved } from '../../state/learner.ts';
import { useLoad } from '../../state/load.ts';

export default function CertificatePage() {
  return (
    <Page title="Certificate">
      <p class="small">
        <a href="#/lessons">Lessons</a> <span aria-hidden="true">›</span> Certificate
      </p>
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
  const { sub, iat, iss, nickname, lessons, of, capstones } = certificate;
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
        <CopyButton text={jws} label="Copy the signed form" />
      </p>
      {nickname === null && (
        <p class="small muted">
          It shows your client_id, since you have no nickname. You can choose one on the page <a href="#/">Start</a>.
        </p>
      )}
      <article class="certificate" aria-label="Certificate">
        <p class="plate" aria-hidden="true">
          L
        </p>
        <p class="certificate-title">Certificate</p>
        <p class="certificate-name">
          <Words text={nickname ?? sub} />
        </p>
        <p>
          solved {lessons.length} of the {of} lessons of <span class="nowrap">L-Plate</span>,
          <br />a synthetic motor insurer to practise API integration on.
        </p>
        {capstones.length > 0 && (
          <>
            <p class="certificate-part">Capstones completed without a fault</p>
            <ul class="plain">
              {capstones.map(({ id, title, completedAt }) => (
                <li key={id}>
                  {title}, <Day at={completedAt} />
                </li>
              ))}
            </ul>
          </>
        )}
        {[...Map.groupBy(lessons, ({ level }) => level)]
          .sort(([a], [b]) => a - b)
          .map(([level, those]) => (
            <section key={level} aria-label={`Lessons of level ${level}`}>
              <p class="certificate-part">
                Lessons of level {level}: {levels[level]}
              </p>
              <ul class="plain certified">
                {those.map(({ id, title, solvedAt }) => (
                  <li key={id}>
                    <Words text={title} />
                    <span class="small muted">
                      <Day at={solvedAt} />
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        <p class="small muted certificate-foot">
          <Words text={sub} /> · <Day at={new Date(iat * 1000).toISOString()} /> · {iss}
        </p>
      </article>
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

const Day = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {new Date(at).toLocaleDateString()}
  </time>
);
