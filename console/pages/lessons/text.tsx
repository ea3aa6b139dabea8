import { Fragment } from 'preact';
import { contained } from '../../../src/text/contained-text.ts';
import { Code } from '../../parts/parts.tsx';
import { afterBlock, type Piece, piecesOf } from './inline-code.ts';

/** A text of a lesson, with what is code in it. It may be a trainer’s, or repeat what was sent, so it is kept apart. */
export function Text({ text }: { readonly text: string }) {
  return (
    <bdi>
      {piecesOf(contained(text)).map((piece, at) =>
        piece.kind === 'words' ? <Fragment key={at}>{piece.text}</Fragment> : <code key={at}>{piece.text}</code>,
      )}
    </bdi>
  );
}

/** The hint with this number, with each command in a block of its own, to be copied. */
export function TextWithCommands({ text, number }: { readonly text: string; readonly number: number }) {
  const pieces = piecesOf(contained(text));
  const commands = pieces.filter(({ kind }) => kind === 'command');
  const labelOf = (command: Piece) =>
    `Command ${commands.length > 1 ? `${commands.indexOf(command) + 1} ` : ''}of hint ${number}`;
  return (
    <bdi>
      {pieces.map((piece, at) => {
        if (piece.kind === 'command') return <Code key={at} text={piece.text} label={labelOf(piece)} />;
        if (piece.kind === 'code') return <code key={at}>{piece.text}</code>;
        const words = pieces[at - 1]?.kind === 'command' ? afterBlock(piece.text) : piece.text;
        return <Fragment key={at}>{words}</Fragment>;
      })}
    </bdi>
  );
}
