import type { Wait } from '../wait.ts';

/** The last line of each loop waits so long. */
const pause = '  sleep 0.2\ndone';

/** A step that waits, for a shell: what it prints is the answer, which is in `$answer` where it was called again. */
export function waitedCommand(wait: Wait, call: string, address: string): { command: string; isKept: boolean } {
  if (wait.for === 'value' || wait.for === 'events') {
    const sign = wait.for === 'value' ? `"${wait.place.split('/').at(-1)}": *"\\{0,1\\}${wait.is}` : '"eventId"';
    const count = wait.for === 'value' ? 1 : wait.count;
    const isThere = `[ "$(printf '%s\\n' "$answer" | grep -o '${sign}' | wc -l)" -ge ${count} ] && break`;
    return { command: `for try in $(seq 40); do\n  answer=$(${call})\n  ${isThere}\n${pause}`, isKept: true };
  }
  if (wait.for === 'batches') {
    const next = `next=$(printf '%s\\n' "$answer" | grep -o '"next" *: *"[^"]*"' | sed 's/.*: *"\\(.*\\)"$/\\1/')`;
    const batch = `  answer=$(${call} \\\n  -G -d limit=${wait.limit} -d after="$next")`;
    const lines = [`next=earliest`, `for try in $(seq ${2 * wait.count}); do`, batch, `  printf '%s\\n' "$answer"`];
    return { command: [...lines, `  ${next}`, 'done'].join('\n'), isKept: true };
  }
  if (wait.for === 'stream') return { command: `${call} -N --max-time 5`, isKept: false };
  if (wait.for === 'answer') return { command: call, isKept: false };
  const calls = wait.count === 0 ? 'no call' : wait.count === 1 ? 'a call' : `${wait.count} calls`;
  return { command: `# Your service makes ${calls} to ${address}, where a receiver has to listen.`, isKept: false };
}
