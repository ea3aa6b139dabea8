/* What stands in the place of what is not stored: of a token, a secret, a signature, and of a body that is no text. */

/** A token that can be read, without its signature: they are counted in an exchange. */
export const numberedToken = (number: number) => `(token ${number})`;
export const tokenPlaceholder = (characters: number) => `(token, ${characters} characters)`;
export const secretPlaceholder = (characters: number) => `(secret, ${characters} characters)`;
/** `name`: the same for the same signature. */
export const signaturePlaceholder = (signature: string, about: string, name = '') =>
  `(signature${name && ` ${name}`}, ${signature.length} characters, ${about})`;
export const bodyPlaceholder = (kind: string, bytes: number) => `(${kind}, ${bytes} bytes, not kept)`;

/** The pattern of each of them, but for a body's. */
export const placeholderForm = String.raw`\((?:token(?: \d|, \d+ characters)|secret, \d+ characters|signature(?: [\da-f]{8})?, \d+ characters, [\w ]+)\)`;

export const bodyPlaceholderForm = String.raw`\([\w./+-]+, \d+ bytes, not kept\)`;
