/** The beginning of what a caller sent, short and whole enough to be shown in a detail. */
export function excerpt(text: string, max = 60): string {
  const characters = [...text.slice(0, 2 * max + 2).toWellFormed()];
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : characters.join('');
}
