import { useState } from 'preact/hooks';
import { type BodyView, type Header, headerValue } from '../../model/body-view.ts';
import { type Body, bytesOf, bytesText, textOf } from '../../model/exchange-body.ts';
import { hexDump } from '../../model/hex-dump.ts';
import { type Line, visible } from '../../model/line.ts';
import type { Language } from '../../model/syntax.ts';
import { Coloured } from '../../parts/coloured.tsx';
import { Button, CopyButton } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Pairs } from './heads.tsx';
import { Beside } from './note-text.tsx';
import type { Notes } from './notes.ts';
import { SoapFields } from './soap-fields.tsx';

interface BodyPartProps {
  readonly label: string;
  readonly body: Body | undefined;
  readonly view: BodyView | undefined;
  readonly headers: readonly Header[];
  readonly notes?: Notes['body'];
}

type Form = 'read' | 'text' | 'bytes' | 'base64';

/** A body in the form that is best to read, and in those that are nearer to what was sent. */
export function BodyPart({ label, body, view, headers, notes }: BodyPartProps) {
  const forms = formsOf(view);
  const [chosen, choose] = useState<Form>();
  if (!body || !view) return <p class="muted small">{absent(headers)}</p>;
  const form = chosen ?? (forms[0] as (typeof forms)[number])[0];
  const copied = {
    read: textOf,
    text: textOf,
    bytes: (of: Body) => hexDump(bytesOf(of)),
    base64: (of: Body) => of.text,
  };
  return (
    <div class="body-part">
      <div class="row ends">
        <span class="label">{label}</span>
        <span class="row">
          <span class="muted small">{bytesText(body.bytes)}</span>
          <CopyButton text={() => copied[form](body)} />
        </span>
      </div>
      <Oddities body={body} view={view} />
      <Tabs label={`Forms of: ${label}`} tabs={forms} chosen={form} onChoose={choose}>
        <InForm label={label} body={body} view={view} form={form} notes={notes} />
      </Tabs>
    </div>
  );
}

function formsOf(view: BodyView | undefined): readonly (readonly [Form, string])[] {
  const bytes = ['bytes', 'Bytes'] as const;
  if (view?.kind === 'binary') return [bytes, ['text', 'As text'], ['base64', 'Base64']];
  const raw = ['text', 'Raw'] as const;
  return !view || view.kind === 'text'
    ? [raw, bytes]
    : [['read', view.kind === 'form' ? 'Fields' : 'Pretty'], raw, bytes];
}

/** Why there is no body, as far as the headers tell. */
function absent(headers: readonly Header[]): string {
  const length = Number(headerValue(headers, 'content-length') ?? 0);
  const chunked = headerValue(headers, 'transfer-encoding') !== undefined;
  return length > 0 || chunked ? 'The log has no body: it was not read, or was not sent.' : 'No body.';
}

function Oddities({ body, view }: { readonly body: Body; readonly view: BodyView }) {
  const shown = bytesOf(body).length;
  return (
    <>
      {!body.complete && (
        <p class="oddity">
          {body.omitted
            ? 'The log keeps no bytes that it can’t search for secrets.'
            : `Cut: the log has the first ${bytesText(shown)} of ${bytesText(body.bytes)}.`}
        </p>
      )}
      {view.kind === 'binary' && <p class="oddity">It is not UTF-8, so the log has it in base64.</p>}
      {view.kind === 'text' && view.about && <p class="oddity">{view.about}</p>}
    </>
  );
}

interface InFormProps {
  readonly label: string;
  readonly body: Body;
  readonly view: BodyView;
  readonly form: Form;
  readonly notes: Notes['body'] | undefined;
}

function InForm({ label, body, view, form, notes }: InFormProps) {
  if (form === 'bytes') return <Text label={label} text={hexDump(bytesOf(body))} isTable />;
  if (form === 'base64') return <Text label={label} text={body.text} />;
  if (form === 'text') {
    const language = view.kind === 'text' || view.kind === 'binary' ? undefined : view.kind;
    return <Text label={label} text={visible(textOf(body))} language={language} />;
  }
  if (view.kind === 'form')
    return <Pairs label="Fields" pairs={view.fields} notes={notes} placeOf={(name) => `/${name}`} />;
  if (!('lines' in view)) return null;
  return (
    <>
      {view.kind === 'xml' && view.soap && <SoapFields soap={view.soap} />}
      <LinesWithNotes label={label} lines={view.lines} language={view.kind} notes={notes} />
    </>
  );
}

/** `isTable`: its columns must stay below each other, so that it scrolls to the side. */
export function Text({
  label,
  text,
  isTable,
  language,
}: {
  readonly label: string;
  readonly text: string;
  readonly isTable?: boolean;
  readonly language?: Language | undefined;
}) {
  return (
    // biome-ignore lint/a11y: a region that scrolls must be reached by the keyboard, and a section can't be a pre
    <pre class={`body-text ${isTable ? 'table' : 'wrapped'}`} tabIndex={0} role="region" aria-label={label}>
      <Coloured text={text} language={language} />
    </pre>
  );
}

/** Lines that are shown at once: to lay out more of them takes a moment. */
const maxLines = 1500;

/** Lines, and below those that something is said of, what. */
function LinesWithNotes({
  label,
  lines,
  language,
  notes,
}: Omit<InFormProps, 'body' | 'view' | 'form'> & { lines: readonly Line[]; language: Language }) {
  const [whole, setWhole] = useState(false);
  const left = whole ? 0 : Math.max(0, lines.length - maxLines);
  const told = new Set<string>();
  const parts: preact.ComponentChild[] = [];
  let text = '';
  for (const [at, { text: line, place }] of lines.slice(0, lines.length - left).entries()) {
    const here = place === undefined || told.has(place) ? undefined : notes?.get(place);
    if (!here || place === undefined) {
      text += `${visible(line)}\n`;
      continue;
    }
    told.add(place);
    parts.push(<Coloured key={`before ${at}`} text={text} language={language} />);
    text = '';
    parts.push(
      <span key={at} class="noted-line">
        <Coloured text={visible(line)} language={language} />
        <Beside notes={here} />
      </span>,
    );
  }
  parts.push(<Coloured key="rest" text={text} language={language} />);
  return (
    <>
      {/* biome-ignore lint/a11y: a region that scrolls must be reached by the keyboard, and a section can't be a pre */}
      <pre class="body-text wrapped" tabIndex={0} role="region" aria-label={label}>
        {parts}
      </pre>
      {left > 0 && (
        <Button small onPress={() => setWhole(true)}>
          Show {left.toLocaleString('en')} more lines
        </Button>
      )}
    </>
  );
}
