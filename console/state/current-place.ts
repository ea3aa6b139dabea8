/** Where the navigation is a line that scrolls, moves it so that the entry of the page that is shown can be seen. */
export function showCurrent(): void {
  const entry = document.querySelector<HTMLElement>('.nav [aria-current]');
  const line = entry?.closest('.nav');
  if (!entry || !line) return;
  line.scrollLeft += entry.getBoundingClientRect().left - line.clientWidth / 2;
}
