import { readFile } from 'node:fs/promises';
import { remember } from '../remember.ts';

const folder = new URL('../../contracts/', import.meta.url);

/** The picture of a badge, without one: an SVG, and a PNG that was made of it. */
export const badgePictures = remember(async () => ({
  svg: await readFile(new URL('badge.svg', folder), 'utf8'),
  png: new Uint8Array(await readFile(new URL('badge.png', folder))),
}));
