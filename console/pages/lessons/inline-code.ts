/** A part of a text: words, code within a line, or a command that deserves a block of its own. */
export interface Piece {
  readonly kind: 'words' | 'code' | 'command';
  readonly text: string;
}

/** What stands between backticks, and an endpoint such as `GET /limited/ping` or `/range/v1/me`, also without them. */
const code = /`([^`]+)`|(?<![\w/.`$])(?:(?:GET|POST|PUT|PATCH|DELETE) )?\/[a-z][\w{}./?=&%*:-]*/g;

/** Characters from which on code does not fit into a line. */
const blockFrom = 80;

/** The text in its parts. Joined, they are the text without the backticks. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const words = (until: number) => {
    if (until > end) pieces.push({ kind: 'words', text: text.slice(end, until) });
  };
  for (const match of text.matchAll(code)) {
    words(match.index);
    // A dot or comma after an endpoint is of the sentence.
    const found = match[1] ?? match[0].replace(/[.:?]+$/, '');
    pieces.push({ kind: match[1] !== undefined && isCommand(found) ? 'command' : 'code', text: found });
    end = match.index + (match[1] === undefined ? found.length : match[0].length);
  }
  words(text.length);
  return pieces;
}

function isCommand(text: string): boolean {
  return text.length >= blockFrom || (/^(?:(?:curl|printf|grep|for|sleep) |[A-Z]+=)/.test(text) && /[$|]/.test(text));
}

/** What a paragraph goes on with behind a block: without the point or comma that ended the line before it. */
export function afterBlock(words: string): string {
  return words.replace(/^[.,:;]\s*/, '').trimStart();
}
