import { equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wallLayout } from '../../console/pages/trainer/seating.ts';

describe('Console, trainer: the wall', () => {
  test('a class of any size fits: few cards are large, many have more columns, more than can be read have pages', () => {
    const sizes = [1, 2, 3, 6, 12, 20, 30, 45, 60, 200].map((cards) => ({
      cards,
      ...wallLayout(cards, 1880, 860),
    }));
    for (const { cards, columns, rows, size, pages, perPage } of sizes) {
      ok(columns * rows >= perPage && pages * perPage >= cards && (pages - 1) * perPage < cards, `${cards}`);
      ok(size >= 17 && rows * size * 5.4 <= 860 && columns * size * 16.5 <= 1880, `${cards} of ${size}`);
    }
    const pagesOf = (wanted: number) => sizes.find(({ cards }) => cards === wanted)?.pages;
    equal(pagesOf(20), 1);
    equal(pagesOf(60), 2);
    const columnsOf = (wanted: number) => sizes.find(({ cards }) => cards === wanted)?.columns ?? 0;
    ok(columnsOf(6) < columnsOf(20), 'six are larger than twenty');
  });

  test('a wall without room has pages of one, and none without cards', () => {
    equal(wallLayout(3, 100, 20).perPage, 1);
    equal(wallLayout(0, 1880, 860).pages, 1);
  });
});
