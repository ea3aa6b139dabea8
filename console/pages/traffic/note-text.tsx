import type { Note } from '../../model/notes.ts';
import { Foreign } from '../../parts/foreign.tsx';

/** What is said of a line, beside it. */
export function Beside({ notes }: { readonly notes: readonly Note[] }) {
  return (
    <>
      {notes.map(({ kind, text }) => (
        <span key={text} class={`beside ${kind}`}>
          <Foreign text={text} />
        </span>
      ))}
    </>
  );
}
