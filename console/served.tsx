import { render } from 'preact';
import { credentials } from './api/session.ts';
import { CopyButton } from './parts/parts.tsx';
import { Who } from './parts/who.tsx';
import { showCurrent } from './state/current-place.ts';
import { lastShown } from './state/shown.ts';

/*
 * Runs on the pages that the server makes, which are the same for everybody: it puts into their frame what the console
 * shows there, and a button beside what is there to be copied. Without it they say all that they have to say.
 */

/** Milliseconds after which the frame is drawn again: the clock goes on, and the console keeps on in other tabs. */
const every = 5000;

const who = document.createElement('span');
who.className = 'as-parent';
document.querySelector('.top')?.append(who);

const count = document.createElement('span');
count.className = 'count';
document.querySelector('.nav a[href$="/#/lessons"]')?.append(count);

function drawFrame(): void {
  const clientId = credentials.value?.clientId;
  const shown = clientId === undefined ? undefined : lastShown(clientId);
  render(clientId === undefined ? null : <Who clientId={clientId} known={shown?.known} root="/" />, who);
  const { solved, all } = shown?.lessons ?? { solved: 0, all: 0 };
  const text = all > 0 ? `${solved}/${all}` : '';
  if (count.textContent === text) return;
  count.textContent = text;
  showCurrent();
}

drawFrame();
setInterval(drawFrame, every);
addEventListener('storage', drawFrame);

for (const text of document.querySelectorAll<HTMLElement>('main pre')) {
  const [box, button] = [document.createElement('div'), document.createElement('span')];
  box.className = 'code';
  button.className = 'copy';
  text.replaceWith(box);
  box.append(text, button);
  render(<CopyButton text={text.textContent} />, button);
}
