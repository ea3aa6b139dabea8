/** The beginning of what a caller sent, short and whole enough to be shown in a detail. */
export function excerpt(text: string, most = 60): string {
  const characters = [...text.slice(0, 2 * most + 2).toWellFormed()];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : characters.join('');
}
