import { showCurrent } from './state/current-place.ts';
import { applyTheme, chooseTheme, chosenTheme, themes } from './state/theme.ts';

/*
 * Runs on every page before anything of it is shown, so that nothing flashes in the wrong colours. Pages that the server
 * makes get the choice of the theme here; the console has its own.
 */

applyTheme();

addEventListener('DOMContentLoaded', () => {
  if (document.getElementById('console')) return;
  showCurrent();
  const choice = document.createElement('select');
  choice.className = 'theme';
  choice.setAttribute('aria-label', 'Colours');
  for (const [value, text] of themes) choice.add(new Option(text, value, false, value === chosenTheme()));
  choice.addEventListener('change', () => {
    chooseTheme(choice.value);
    showInScalar();
  });
  document.querySelector('.top')?.append(choice);
});

/** What Scalar itself does when the theme changes. */
function showInScalar(): void {
  const chosen = chosenTheme();
  const dark = chosen === 'dark' || (chosen === '' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.body.classList.toggle('dark-mode', dark);
  document.body.classList.toggle('light-mode', !dark);
}
