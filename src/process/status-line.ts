/*
 * The last row of a terminal, which changes in its place; other texts come above it. It is drawn without wrapping, so that
 * it takes one row, and the cursor goes back to its beginning: whether a terminal that becomes narrower cuts it or wraps
 * it, all of it is from the cursor on.
 */

const clear = '\r\x1b[J';
const noWrap = '\x1b[?7l';
const wrap = '\x1b[?7h';

/** Controls, also those that turn the order round, and separators of lines: names of others must not move the cursor. */
export const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Where the size of a terminal is not known. */
const usualColumns = 80;

export class StatusLine {
  readonly #columns: () => number;
  #text = '';

  /** `columns`: those that the terminal has at the moment, 0 if nobody knows. */
  constructor(columns: () => number) {
    this.#columns = () => columns() || usualColumns;
  }

  get text(): string {
    return this.#text;
  }

  /** What is drawn from now on. */
  set text(text: string) {
    this.#text = text.replaceAll(unprintable, '');
  }

  /** What to write so that a text, or nothing, stands above it. */
  readonly above = (text: string): string => {
    const end = text === '' || text.endsWith('\n') ? '' : '\n';
    return `${clear}${text}${end}${noWrap}${this.#shown()}${wrap}\r`;
  };

  /** What to write so that it stays, and what comes next begins a row. */
  ended(): string {
    return `${clear}${this.#shown()}\n`;
  }

  #shown(): string {
    return [...this.#text].slice(0, this.#columns() - 1).join('');
  }
}
