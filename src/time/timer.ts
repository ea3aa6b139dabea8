/** The longest time that a timer of Node.js takes, in milliseconds: almost 25 days. One that is longer fires at once. */
const longest = 2 ** 31 - 1;

/** Calls `work` once, after any number of milliseconds. Returns how to prevent it. */
export function callAfter(milliseconds: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const next = left > longest ? () => wait(left - longest) : work;
    timer = setTimeout(next, Math.min(left, longest));
  };
  wait(Math.max(0, milliseconds));
  return () => clearTimeout(timer);
}
