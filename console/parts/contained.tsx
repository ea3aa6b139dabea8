import { contained } from '../../src/text/contained-text.ts';
import { visible } from '../model/line.ts';

/** A text that others wrote: what is in it neither turns the text around it round nor hides. `most`: characters of it. */
export function Foreign({ text, most }: { readonly text: string; readonly most?: number }) {
  const shown = most !== undefined && text.length > most ? `${text.slice(0, most)} …` : text;
  return <bdi>{visible(shown)}</bdi>;
}

/** Words that somebody wrote to be read, such as a name or a title: they are kept apart, and stay as they are. */
export function Words({ text }: { readonly text: string }) {
  return <bdi>{contained(text)}</bdi>;
}
