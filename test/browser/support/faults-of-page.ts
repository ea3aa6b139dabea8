import type { Page } from 'playwright-core';

/*
 * What is wrong with how a page shows text of others, as far as a program can see it: it is wider than the window, text
 * lies on text, or text of others is not kept apart from what stands around it.
 */

/** In words; empty if nothing is wrong. */
export function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(findFaults);
}

/** Runs in the page, so it can't use anything of this file. */
function findFaults(): string[] {
  const faults: string[] = [];
  const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (beyond > 0) faults.push(`the page is ${beyond} px wider than the window`);

  const short = (text: string) => JSON.stringify(text.trim().slice(0, 40));
  const foreign = /~[a-z]+~|[\u0590-\u08FF\u202A-\u202E\u2066-\u2069\u200E\u200F]/u;
  const isolating = /isolate|plaintext/;

  interface Line {
    readonly text: Text;
    readonly top: number;
    readonly bottom: number;
    readonly left: number;
    readonly right: number;
  }
  const lines: Line[] = [];
  let before:
    | { readonly block: HTMLElement; readonly bdi: Element | null; readonly last: DOMRect; readonly text: Text }
    | undefined;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node as Text;
    const parent = text.parentElement;
    if (!parent || text.data.trim() === '' || !parent.checkVisibility({ visibilityProperty: true })) continue;

    if (foreign.test(text.data) && !parent.closest('option, textarea')) {
      let around: HTMLElement = parent;
      while (!isolating.test(getComputedStyle(around).unicodeBidi) && around.parentElement)
        around = around.parentElement;
      const isAlone = around.matches('bdi, pre, pre *') || around.textContent?.trim() === text.data.trim();
      if (!isAlone)
        faults.push(`not kept apart in ${around.tagName.toLowerCase()}.${around.className}: ${short(text.data)}`);
    }

    // What floats over the page, and buttons over what scrolls below them, lie on text on purpose.
    if (parent.closest('.unseen, .copy, .toasts, .next-bar, .chosen-bar, .matrix, .skip, option')) continue;
    let clip = {
      top: 0,
      bottom: Number.POSITIVE_INFINITY,
      left: Number.NEGATIVE_INFINITY,
      right: Number.POSITIVE_INFINITY,
    };
    for (let box: HTMLElement | null = parent; box && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflow === 'visible') continue;
      const { top, bottom, left, right } = box.getBoundingClientRect();
      clip = {
        ...{ top: Math.max(clip.top, top), bottom: Math.min(clip.bottom, bottom) },
        ...{ left: Math.max(clip.left, left), right: Math.min(clip.right, right) },
      };
    }
    const range = document.createRange();
    range.selectNodeContents(text);
    const rects = [...range.getClientRects()];

    // The page itself runs from left to right, also behind what is foreign. Within that anything may be.
    const bdi = parent.closest('bdi');
    let block: HTMLElement = parent;
    while (/^inline$|contents/.test(getComputedStyle(block).display) && block.parentElement)
      block = block.parentElement;
    const [first] = rects;
    if (before && first && before.block === block && (!bdi || before.bdi !== bdi)) {
      const isSameLine = Math.abs(first.top - before.last.top) < 3;
      if (isSameLine && first.left < before.last.left - 1)
        faults.push(`${short(text.data)} stands before ${short(before.text.data)}`);
    }
    const last = rects.at(-1);
    before = last && { block, bdi, last, text };
    const word = text.data.search(/\w\w/);
    if (word >= 0 && !bdi && !foreign.test(text.data) && !/vertical/.test(getComputedStyle(parent).writingMode)) {
      const [one, two] = [word, word + 1].map((at) => {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect();
      }) as [DOMRect, DOMRect];
      if (one.top === two.top && one.left > two.left) faults.push(`runs from right to left: ${short(text.data)}`);
    }

    for (const rect of rects) {
      // The box of a line of text is higher than its letters.
      const spare = rect.height * 0.25;
      const line = {
        text,
        ...{ top: Math.max(clip.top, rect.top + spare), bottom: Math.min(clip.bottom, rect.bottom - spare) },
        ...{ left: Math.max(clip.left, rect.left + 1), right: Math.min(clip.right, rect.right - 1) },
      };
      if (line.bottom > line.top && line.right > line.left) lines.push(line);
    }
  }

  // The page scrolls below the bar and the navigation.
  const layerOf = (text: Text) => text.parentElement?.closest('.top, .nav') ?? null;
  lines.sort((one, other) => one.top - other.top);
  const told = new Set<Text>();
  for (const [at, one] of lines.entries()) {
    for (let next = at + 1; next < lines.length; next += 1) {
      const other = lines[next] as Line;
      if (other.top >= one.bottom) break;
      if (layerOf(other.text) !== layerOf(one.text)) continue;
      if (other.text === one.text || other.left >= one.right || other.right <= one.left || told.has(other.text))
        continue;
      told.add(other.text);
      faults.push(`${short(one.text.data)} lies on ${short(other.text.data)}`);
    }
  }
  return faults.slice(0, 5);
}
