/*
 * The theme that was chosen in this browser, for all pages: those of the console and those that the server makes.
 */

const key = 'lplate.theme';

/** The key of Scalar, whose page `/docs` shows. */
const scalarKey = 'colorMode';

/** Values and what they are called. The first follows the system. */
export const themes = [
  ['', 'Theme: auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export function chosenTheme(): string {
  return localStorage.getItem(key) ?? '';
}

export function applyTheme(): void {
  const name = chosenTheme();
  if (name === 'light' || name === 'dark') document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  localStorage.setItem(scalarKey, name || 'system');
}

export function chooseTheme(name: string): void {
  localStorage.setItem(key, name);
  applyTheme();
}
