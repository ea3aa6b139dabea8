/** A text as both engines store it: half of a surrogate pair and NUL, which PostgreSQL does not take, become U+FFFD. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
