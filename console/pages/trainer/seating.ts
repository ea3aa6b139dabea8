/** How cards stand on the wall. Sizes are in pixels. */
export interface WallLayout {
  readonly columns: number;
  readonly rows: number;
  /** Of the type, from which all of a card follows. */
  readonly size: number;
  /** How many pages there are. */
  readonly pages: number;
  /** Cards on each page; the last one may have fewer. */
  readonly perPage: number;
}

/** The room that a card needs, with the gap beside and below it, in units of its type. */
const card = { width: 16.5, height: 5.4 };

const largest = 56;

/** Rows of cards in the height of the wall when the type is the smallest that can be read from the back of a room. */
const maxRows = 9;

/** The largest type with which all cards are seen at once; pages, where that would be too small to read. */
export function wallLayout(cards: number, width: number, height: number): WallLayout {
  const smallest = Math.max(12, height / (maxRows * card.height));
  const whole = fit(cards, width, height, smallest);
  if (whole) return { ...whole, pages: 1, perPage: cards };
  const most = Math.max(1, columnsOf(width, smallest) * rowsOf(height, smallest));
  const pages = Math.ceil(cards / most);
  const perPage = Math.ceil(cards / pages);
  const page = fit(perPage, width, height, smallest) ?? { columns: 1, rows: perPage, size: smallest };
  return { ...page, pages, perPage };
}

function fit(cards: number, width: number, height: number, smallest: number) {
  for (let steps = 0; ; steps += 1) {
    const size = Math.max(smallest, largest - 0.5 * steps);
    const columns = columnsOf(width, size);
    if (columns * rowsOf(height, size) < cards) {
      if (size === smallest) return undefined;
      continue;
    }
    // No more columns than the rows need, so that the cards fill the wall.
    const rows = Math.max(1, Math.ceil(cards / columns));
    return { columns: Math.max(1, Math.ceil(cards / rows)), rows, size };
  }
}

const columnsOf = (width: number, size: number) => Math.floor(width / (card.width * size));
const rowsOf = (height: number, size: number) => Math.floor(height / (card.height * size));
