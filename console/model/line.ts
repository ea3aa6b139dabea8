/** A line of a text that was laid out for reading. */
export interface Line {
  readonly text: string;
  /** The JSON pointer of the value that begins here, or the name of the field. */
  readonly place?: string;
}

/** Characters that a text may have once it is laid out. One that is nested deeply would grow without bound. */
export const maxLaidOut = 256 * 1024;

/** Lines that grow to no more than `maxLaidOut`. */
export class Lines {
  readonly list: Line[] = [];
  #size = 0;

  /** False if there is no room for it. */
  add(depth: number, text: string, place?: string): boolean {
    this.#size += 2 * depth + text.length + 1;
    if (this.#size > maxLaidOut) return false;
    this.list.push({ text: '  '.repeat(depth) + text, ...(place !== undefined && { place }) });
    return true;
  }
}

/** Characters that one does not see, or that change the order of others. */
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A foreign text in which such characters are written out, `⟨U+202E⟩`, so that it reads as it is. */
export function visible(text: string): string {
  return text.replace(
    unseen,
    (character) => `⟨U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}
