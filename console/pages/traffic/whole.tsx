import type { ComponentProps } from 'preact';
import type { Exchange } from '../../api/types.ts';
import { bodyView } from '../../model/body-view.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Notice } from '../../parts/parts.tsx';
import { BodyPart } from './body-part.tsx';
import { Fold } from './fold.tsx';
import { HeaderTable, RequestLine, StatusLine } from './heads.tsx';
import { Sentence } from './note-text.tsx';
import { notesOf } from './notes.ts';
import { Refusal } from './refusal.tsx';
import { signedBytes } from './signed.ts';
import { SignedPart } from './signed-part.tsx';
import { TokenPart } from './token-part.tsx';

/** An exchange: what is said of it as a whole, then request and answer beside each other. */
export function Whole({ exchange }: { readonly exchange: Exchange }) {
  const { request, response, tokens, kind } = exchange;
  const sent = request.body && bodyView(request.body, request.headers);
  const answered = response.body && bodyView(response.body, response.headers);
  const notes = notesOf(exchange, sent);
  const signed = signedBytes(exchange);
  const inRequest = JSON.stringify([exchange.url, request]);
  const numbered = tokens.map((token, at) => ({
    token,
    number: at + 1,
    sent: inRequest.includes(`(token ${at + 1})`),
  }));
  const isDelivery = kind === 'delivery';
  return (
    <div class="whole">
      <Refusal exchange={exchange} answered={answered} />
      {notes.all.map(({ text }) => (
        <Notice key={text} mood="note">
          <Sentence text={text} />
        </Notice>
      ))}
      <div class="sides">
        <section aria-labelledby="request">
          <h2 id="request">{isDelivery ? 'What L-Plate sent' : 'Request'}</h2>
          <RequestLine exchange={exchange} notes={notes.query} />
          <Headers label="Headers of the request" headers={request.headers} notes={notes.requestHeaders} />
          <BodyPart
            label="Body of the request"
            body={request.body}
            view={sent}
            headers={request.headers}
            notes={notes.body}
          />
          {signed && <SignedPart signed={signed} exchange={exchange} />}
          {numbered.map((each) => each.sent && <TokenPart key={each.number} exchange={exchange} {...each} />)}
        </section>
        <section aria-labelledby="answer">
          <h2 id="answer">{isDelivery ? 'What your webhook answered' : 'Answer'}</h2>
          <StatusLine exchange={exchange} />
          {isDelivery && (
            <p class="muted small">
              {exchange.status === 0 ? (
                'There was no answer.'
              ) : (
                <>
                  L-Plate keeps the first 1,024 bytes of its body, and of its headers only <code>Content-Type</code>,{' '}
                  <code>Location</code> and <code>Retry-After</code>.
                </>
              )}
            </p>
          )}
          <BodyPart label="Body of the answer" body={response.body} view={answered} headers={response.headers} />
          <Headers label="Headers of the answer" headers={response.headers} notes={notes.answerHeaders} />
          {numbered.map((each) => !each.sent && <TokenPart key={each.number} exchange={exchange} {...each} />)}
        </section>
      </div>
    </div>
  );
}

/** Their names; their values where something is said of one, or when it is opened. */
function Headers({ label, headers, notes }: ComponentProps<typeof HeaderTable>) {
  if (headers.length === 0) return <p class="muted small">No headers.</p>;
  const names = [...new Set(headers.map(({ name }) => name))].join(', ');
  return (
    <Fold
      title={label}
      beside={
        <span class="muted">
          <Foreign text={names} most={300} />
        </span>
      }
      open={notes.size > 0}
    >
      <HeaderTable label={label} headers={headers} notes={notes} />
    </Fold>
  );
}
