import { useId } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { credentials } from '../../api/session.ts';
import { exampleOf, missingIn } from '../../model/draft.ts';
import type { BodyOf } from '../../model/routes.ts';
import { languageOf } from '../../model/syntax.ts';
import { Coloured } from '../../parts/coloured.tsx';
import { Foreign } from '../../parts/contained.tsx';
import { Button } from '../../parts/parts.tsx';
import { FieldText } from './sent-texts.tsx';

interface BodyFieldProps {
  readonly body: string;
  /** The Content-Type that is sent; empty without one. */
  readonly mediaType: string;
  /** Those that the route takes. */
  readonly known: readonly BodyOf[];
  readonly fault: string | undefined;
  readonly onChange: (body: string, mediaType?: string) => void;
}

/** The body, with examples that succeed and with what the description says of its members. */
export function BodyField({ body, mediaType, known, fault, onChange }: BodyFieldProps) {
  const id = useId();
  const plain = (type: string) => type.split(';', 1)[0]?.trim().toLowerCase();
  const of = known.find((each) => plain(each.mediaType) === plain(mediaType)) ?? known[0];
  const missing = of && body !== '' ? missingIn(body, of) : [];
  return (
    <section aria-label="Body of the call">
      <div class="row ends">
        <label class="label" for={id}>
          Body
        </label>
        <span class="row">
          {known.length > 1 &&
            known.map((each) => (
              <Button
                key={each.mediaType}
                small
                pressed={each === of}
                onPress={() => onChange(exampleOf(each, 0, credentials.peek()), each.mediaType)}
              >
                {each.mediaType}
              </Button>
            ))}
        </span>
      </div>
      <Editor id={id} text={body} mediaType={mediaType} describedBy={`${id}-fault`} onInput={onChange} />
      <FieldText id={`${id}-fault`} text={fault} />
      {missing.length > 0 && <FieldText text={`Required, and not there: ${missing.join(', ')}.`} />}
      {of && of.examples.length > 0 && (
        <div class="row">
          <span class="muted small">Examples</span>
          {of.examples.map(({ name }, at) => (
            <Button key={name} small onPress={() => onChange(exampleOf(of, at, credentials.peek()), of.mediaType)}>
              {name}
            </Button>
          ))}
        </div>
      )}
      {of && of.members.length > 0 && <Members of={of} />}
    </section>
  );
}

/** Characters up to which a body has colours while one types. */
const mostColoured = 20_000;

interface EditorProps {
  readonly id: string;
  readonly text: string;
  readonly mediaType: string;
  readonly describedBy: string;
  readonly onInput: (text: string) => void;
}

/** A text area whose own letters can’t be seen: those behind it have the colours. */
function Editor({ id, text, mediaType, describedBy, onInput }: EditorProps) {
  const isColoured = text.length <= mostColoured;
  return (
    <div class={isColoured ? 'send-editor coloured' : 'send-editor'}>
      {isColoured && (
        <pre aria-hidden="true">
          <Coloured text={`${text}\n`} language={languageOf(mediaType)} />
        </pre>
      )}
      <textarea
        id={id}
        rows={isColoured ? 5 : 16}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-describedby={describedBy}
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

function Members({ of }: { readonly of: BodyOf }) {
  return (
    <details class="small">
      <summary>What it can have: {counted(of.members.length, 'member')}</summary>
      <dl class="send-members">
        {of.members.map(({ name, type, required, values, about }) => (
          <div key={name}>
            <dt>
              <code class="syntax-name">{name}</code> <span class="muted">{type}</span>
              {required && <span class="required"> required</span>}
            </dt>
            <dd>
              {values.length > 0 && (
                <>
                  {values.map((value, at) => (
                    <>
                      {at > 0 && ', '}
                      <code class="syntax-string">{value}</code>
                    </>
                  ))}
                  .{' '}
                </>
              )}
              <Foreign text={about.replaceAll('`', '')} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
