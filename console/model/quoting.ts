// A text as a literal of a language, so that what is in it can't end it.

/** For bash, zsh and others: between single quotes nothing has a meaning. */
export function shell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** PowerShell takes typographic quotes for straight ones. */
export function powershell(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

/** For JavaScript, Python and Java, which all read the escapes of JSON. */
export const quoted = (text: string): string => JSON.stringify(text);
