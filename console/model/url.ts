/** A part of a URL without its percent signs; as it is where they are wrong. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parameters of a URL, in their order. */
export const queryOf = (url: string) => new URLSearchParams(url.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '');
