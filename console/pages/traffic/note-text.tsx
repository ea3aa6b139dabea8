import { Foreign } from '../../parts/contained.tsx';
import type { Note } from './notes.ts';

/** A sentence of the service, in which names stand between backticks. */
export function Sentence({ text }: { readonly text: string }) {
  const parts = text.split('`');
  return (
    <>
      {parts.map((part, at) =>
        // The last one has no backtick behind it.
        at % 2 === 1 && at < parts.length - 1 ? (
          <code key={at}>
            <Foreign text={part} />
          </code>
        ) : (
          <Foreign key={at} text={at % 2 === 1 ? `\`${part}` : part} />
        ),
      )}
    </>
  );
}

/** What is said of a line, beside it. */
export function Beside({ notes }: { readonly notes: readonly Note[] }) {
  return (
    <>
      {notes.map(({ kind, text }) => (
        <span key={text} class={`remark-beside ${kind === 'refused' ? 'bad' : 'note'}`}>
          <Sentence text={text} />
        </span>
      ))}
    </>
  );
}
