import { applyTheme, chooseTheme, chosenTheme, themes } from './state/theme.ts';

/*
 * Runs on every page before anything of it is shown, so that nothing flashes in the wrong colours. Pages that the server
 * makes get the choice of the theme here; the console has its own.
 */

applyTheme();

addEventListener('DOMContentLoaded', () => {
  if (document.getElementById('console')) return;
  const choice = document.createElement('select');
  choice.setAttribute('aria-label', 'Colours');
  for (const [value, text] of themes) choice.add(new Option(text, value, false, value === chosenTheme()));
  choice.addEventListener('change', () => {
    chooseTheme(choice.value);
    showInScalar();
  });
  const box = document.createElement('span');
  box.className = 'theme icon icon-theme';
  box.append(choice);
  document.querySelector('.top')?.append(box);
});

/** What Scalar itself does when the theme changes. */
function showInScalar(): void {
  const chosen = chosenTheme();
  const dark = chosen === 'dark' || (chosen === '' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.body.classList.toggle('dark-mode', dark);
  document.body.classList.toggle('light-mode', !dark);
}
