/**
 * A position in a topic: after how many copies of which event. It is written `1042-1`. A position after all copies that
 * there can be is `-2`, whether or not the event came twice.
 */
export interface Cursor {
  readonly seq: number;
  readonly copy: number;
}

/** Where to read on. */
export type Position = Cursor | 'earliest' | 'latest';

export const lastCopy = 2;

export function cursorText({ seq, copy }: Cursor): string {
  return `${seq}-${copy}`;
}

/** The cursor that a text is, or undefined. */
export function parseCursor(text: string): Cursor | undefined {
  const parts = /^(0|[1-9]\d{0,14})-([12])$/.exec(text);
  return parts ? { seq: Number(parts[1]), copy: Number(parts[2]) } : undefined;
}
