/** An event of a stream, as the HTML standard reads it. */
export interface Message {
  readonly type: string;
  readonly id: string;
  readonly data: string;
}

/** The events that are complete. */
export function messagesOf(text: string): Message[] {
  return blocksOf(text).filter(({ data }) => data !== '');
}

/** Where a reader of the stream resumes. */
export function lastIdOf(text: string): string | undefined {
  return blocksOf(text).at(-1)?.id;
}

function blocksOf(text: string): Message[] {
  const blocks: Message[] = [];
  let [id, type, data] = ['', '', [] as string[]];
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  // The last one may go on.
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      blocks.push({ type: type || 'message', id, data: data.join('\n') });
      [type, data] = ['', []];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
  }
  return blocks;
}
