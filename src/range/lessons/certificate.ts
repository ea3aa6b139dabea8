import type { FastifyInstance } from 'fastify';
import { html, page, words } from '../../http/answers/page.ts';
import { capstonesDone, circumstancesOf } from './circumstances.ts';
import type { Catalogue } from './lesson.ts';
import type { CertificateData, MyLessonView, SignedCertificateData } from './schemas.ts';

/** The facts of a certificate; the issuer and the time are added when it is signed. */
export type CertifiedFacts = Omit<CertificateData, 'iss' | 'iat'>;

/** The media type of the JWS (`typ`), so that it is never taken for a token. */
export const certificateType = 'lplate-certificate+jwt';

export function certifiedFacts(
  { clientId, nickname }: { readonly clientId: string; readonly nickname: string | null },
  lessons: readonly MyLessonView[],
  completed: CertifiedFacts['capstones'],
  { lessons: { length: of } }: Catalogue,
): CertifiedFacts {
  // Who takes some again, a month later, does not lose them.
  const solved = lessons.flatMap((lesson) => {
    const solvedAt = lesson.solvedBefore ?? lesson.solvedAt;
    return solvedAt === null ? [] : [{ ...lesson, solvedAt, hints: lesson.hintsTaken.length }];
  });
  return {
    sub: clientId,
    nickname,
    lessons: solved.map(({ id, title, level, solvedAt }) => ({ id, title, level, solvedAt })),
    of,
    capstones: [...completed],
    circumstances: circumstancesOf(solved),
  };
}

/** To print, with the signed form below, which whoever has the page can check. Its links lead below `root`. */
export function certificatePage(
  server: FastifyInstance,
  { certificate, jws }: SignedCertificateData,
  root: string,
): Buffer {
  const { sub, iat, iss, nickname, lessons, of, capstones, circumstances } = certificate;
  const rows = lessons.map(
    ({ title, level, solvedAt }) =>
      html`<li class="row ends">${words(title)}<span class="small muted nowrap">level ${level}, <time datetime="${solvedAt}">${solvedAt.slice(0, 10)}</time></span></li>\n`,
  );
  const done = capstones.map(
    ({ title, level, completedAt }) => html`<li>${title}, level ${level}, on ${completedAt.slice(0, 10)}</li>\n`,
  );
  const achieved = capstones.length > 0 ? html`<p>${capstonesDone}:</p>\n<ul>\n${done}</ul>\n` : '';
  const bytes = page(
    server,
    'Certificate – L-Plate',
    html`<h1>Certificate</h1>
<p><strong>${words(nickname ?? sub)}</strong> solved ${lessons.length} of the ${of} lessons of L-Plate, a synthetic motor insurer to practise API integration on.</p>
<ul class="plain certified">
${rows}</ul>
${achieved}<p class="small">${circumstances.words.join(' ')}</p>
<details><summary>The same, signed: the key is at ${iss}/.well-known/jwks.json</summary><p><code>${jws}</code></p></details>
<p class="muted small">Issued by L-Plate on ${new Date(iat * 1000).toISOString().slice(0, 10)} to ${sub}</p>`,
  );
  // It is kept as a file, so what it refers to is named in full.
  return Buffer.from(String(bytes).replaceAll(/ (href|src)="\//g, ` $1="${root}`));
}
