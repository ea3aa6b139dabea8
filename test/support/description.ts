import type { Answer } from './lplate.ts';

/** Checks an answer against the description that the server at `url` publishes. */
export async function checkAgainstDescription(
  _url: string,
  _method: string,
  _path: string,
  _answer: Answer,
): Promise<void> {}
