import { useMemo } from 'preact/hooks';
import { coloured, type Language } from '../model/syntax.ts';

/** A text with the colours of its language; of a long one only the beginning has some. */
export function Coloured({ text, language }: { readonly text: string; readonly language: Language | undefined }) {
  const pieces = useMemo(() => (language ? coloured(text, language) : [{ text, is: undefined }]), [text, language]);
  return (
    <>
      {pieces.map(({ text: piece, is }, at) =>
        is ? (
          <span key={at} class={`syntax-${is}`}>
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </>
  );
}
