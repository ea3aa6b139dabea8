import { render } from 'preact';
import { credentials } from './api/session.ts';
import { CopyButton } from './parts/parts.tsx';
import { SearchButton } from './parts/search-button.tsx';
import { Who } from './parts/who.tsx';
import { lastShown } from './state/last-seen.ts';

/*
 * Runs on the pages that the server makes, which are the same for everybody: it puts into their frame what the console
 * shows there, and a button beside what is there to be copied. Without it they say all that they have to say.
 */

/** Milliseconds after which the frame is drawn again: the clock goes on, and the console keeps on in other tabs. */
const every = 5000;

/** A place in the bar, in which the console draws. */
function placeInBar(): HTMLElement {
  const place = document.createElement('span');
  place.className = 'as-parent';
  return place;
}

const [who, search] = [placeInBar(), placeInBar()];
// The choice of the theme comes behind it (`early.ts`).
document.querySelector('.top')?.append(who);
document.querySelector('.top .spread')?.before(search);
// The reference has a search of its own, by the same key.
if (!location.pathname.endsWith('/docs')) render(<SearchButton root="/" />, search);

const count = document.createElement('span');
count.className = 'count';
document.querySelector('.nav a[href$="/#/lessons"]')?.append(count);

function drawFrame(): void {
  const clientId = credentials.value?.clientId;
  const shown = clientId === undefined ? undefined : lastShown(clientId);
  render(clientId === undefined ? null : <Who clientId={clientId} known={shown?.known} root="/" />, who);
  const { solved, all } = shown?.lessons ?? { solved: 0, all: 0 };
  const text = all > 0 ? `${solved}/${all}` : '';
  if (count.textContent !== text) count.textContent = text;
}

drawFrame();
setInterval(drawFrame, every);
addEventListener('storage', drawFrame);

for (const text of document.querySelectorAll<HTMLElement>('main pre')) {
  const [box, button] = [document.createElement('div'), document.createElement('span')];
  box.className = 'code box';
  button.className = 'copy';
  text.replaceWith(box);
  box.append(text, button);
  render(<CopyButton text={text.textContent} />, button);
}
